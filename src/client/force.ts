// What came of taking a lock by force, or of lowering the floor of tokens, as the operator is told.

import { CoterieError, type NodeId, Refused, type Trust } from '../core/index.ts'
import type { ForcedServer, ResetServer } from '../lock/index.ts'
import { saidBy } from './questions.ts'

/** Too few servers answered: some may have freed the lock, and the others still hold it for its holder. */
export class UnlockUncertain extends CoterieError {
  override readonly name = 'UnlockUncertain'
  readonly outcome = 'may have happened'
}

/** What became of a lock that an operator freed. */
export interface ForcedUnlock {
  readonly name: string
  /** Who was cut off, as far as more servers than can lie agree on it; undefined where nobody held it. */
  readonly holder: NodeId | undefined
  /** The largest token that guards may have seen of it; every later one is larger. */
  readonly token: bigint | undefined
  /** How many servers have freed it. */
  readonly freed: number
}

interface Shape {
  readonly trust: Trust
  readonly servers: readonly NodeId[]
}

export function describeForced(
  name: string,
  answers: readonly ForcedServer[],
  { trust, servers }: Shape,
): ForcedUnlock {
  const freed = answers.filter(answer => answer.allowed).length
  if (freed < trust.lockGrants) {
    const said = saidBy(servers, server => inWords(answers.find(one => one.server === server)))
    // More than can lie say so.
    if (answers.length - freed > trust.liars) {
      throw new Refused(
        `lock '${name}' was not freed: this client is no operator of the group. Its certificate's name must be among ` +
          `the operators in the servers' coterie.toml. ${said.list}`,
        said.answers,
      )
    }
    throw new UnlockUncertain(
      `lock '${name}' may not be free: ${freed} of ${servers.length} servers freed it, and ${trust.lockGrants} are ` +
        `needed. Try again when more of them answer (coterie status). ${said.list}`,
      said.answers,
    )
  }
  const cut = mostNamed(answers, trust.liars)
  return { name, holder: cut?.holder, token: cut === undefined ? undefined : BigInt(cut.token), freed }
}

function mostNamed(answers: readonly ForcedServer[], liars: number): ForcedServer | undefined {
  const votes = (one: ForcedServer) =>
    answers.filter(({ holder, token }) => holder === one.holder && token === one.token).length
  const named = answers.filter(({ holder }) => holder !== '').sort((a, b) => votes(b) - votes(a))
  const first = named[0]
  return first !== undefined && votes(first) > liars ? first : undefined
}

function inWords(answer: ForcedServer | undefined): string {
  if (answer === undefined) return 'no answer'
  return answer.allowed ? 'freed it' : 'says that this client is no operator'
}

/** What became of the floor of tokens that an operator reset. */
export interface FloorReset {
  /** The servers that did it, with their floor before and after. */
  readonly servers: readonly { readonly server: NodeId; readonly was: bigint; readonly floor: bigint }[]
  /** How many had a floor beyond their clock, and were mended. */
  readonly mended: number
}

export function describeReset(answers: readonly ResetServer[], { trust, servers }: Shape): FloorReset {
  const done = answers.filter(answer => answer.allowed)
  const said = saidBy(servers, server => resetInWords(answers.find(one => one.server === server)))
  if (answers.length - done.length > trust.liars) {
    throw new Refused(
      'the floor of tokens was not reset: this client is no operator of the group. Its certificate’s name must be among ' +
        `the operators in the servers' coterie.toml. ${said.list}`,
      said.answers,
    )
  }
  // One that is left out would bring the large tokens back.
  if (done.length < servers.length) {
    throw new UnlockUncertain(
      `the floor was reset on ${done.length} of ${servers.length} servers. The others still refuse every token below ` +
        `theirs: try again when all of them answer (coterie status). ${said.list}`,
      said.answers,
    )
  }
  return {
    servers: done.map(({ server, was, floor }) => ({ server, was: BigInt(was), floor: BigInt(floor) })),
    mended: done.filter(({ was, floor }) => was !== floor).length,
  }
}

function resetInWords(answer: ResetServer | undefined): string {
  if (answer === undefined) return 'no answer'
  return answer.allowed ? 'reset' : 'says that this client is no operator'
}
