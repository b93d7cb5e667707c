// The adversaries of the assignment game (protocols/slots). Each looks for one kind of leak, and says which of the two
// tickets that are left the first honest member has, or nothing if it found no clue. None takes logarithms: what is
// measured are leaks of the protocol, not the hardness of the group.

import { sameBytes } from '../../src/core/index.ts'
import { integerOf } from '../../src/crypto/groups/integers.ts'
import { legendre } from '../../src/crypto/groups/residues.ts'
import { type Ciphertext, combine, type Element, partialDecryption } from '../../src/crypto/index.ts'
import { SMALL_MODULUS } from '../../src/papers/slots/index.ts'
import type { Kept, Pass, View } from './view.ts'

export interface Adversary {
  readonly name: string
  /** As built it never finds a clue at all: each clue is a leak by itself. */
  readonly silent?: boolean
  /** The ticket of honest[0], or undefined: toss a coin. */
  guess(view: View): number | undefined
}

/** The other one's ticket tells as much. */
export function from(view: View, position: number, ticket: number | undefined): number | undefined {
  if (ticket === undefined || !view.left.includes(ticket)) return undefined
  if (position === view.honest[0]) return ticket
  return view.left.find(one => one !== ticket)
}

const POSITIONS = 'positions'

/** What an honest turn did, as far as it shows: for each place of the shuffled list where it came from. */
type Reading = (view: View, pass: Pass) => Kept | undefined

/**
 * Follows the tickets from the first list on: through the coalition's turns as it kept them, through others by
 * reading.
 */
function following(name: string, read: Reading, first?: (view: View) => readonly (number | undefined)[]): Adversary {
  return {
    name,
    silent: name !== POSITIONS,
    guess(view) {
      let labels = first?.(view) ?? view.firstList
      for (const pass of view.passes.slice(1)) {
        const turn = view.kept.get(pass.by) ?? read(view, pass)
        if (turn === undefined) return undefined
        const moved = turn.permutation.map(place => labels[place])
        const known = from(view, pass.by, turn.taken < 0 ? undefined : moved[turn.taken])
        if (view.honest.includes(pass.by) && known !== undefined) return known
        labels = moved.filter((_, place) => place !== turn.taken)
      }
      return dealtByPlace(view, labels)
    },
  }
}

/** Tickets that nobody took: the coordinator's with the lottery, everybody's where they are dealt by position. */
function dealtByPlace(view: View, labels: readonly (number | undefined)[]): number | undefined {
  const { honest, members, coordinator } = view
  if (labels.length === members) return from(view, honest[0], labels[honest[0]])
  if (labels.length !== 1 || coordinator === undefined || !honest.includes(coordinator as never)) return undefined
  return from(view, coordinator, labels[0])
}

function sameCiphertext(left: Ciphertext, right: Ciphertext): boolean {
  return sameBytes(left.c1, right.c1) && sameBytes(left.c2, right.c2)
}

/** The place in the input of each output; undefined as soon as one is not found. What was not passed on was taken. */
function matched(pass: Pass, same: (output: Ciphertext, input: Ciphertext) => boolean): Kept | undefined {
  const places = pass.output.map(output => pass.input.findIndex(input => same(output, input)))
  if (places.includes(-1) || new Set(places).size !== places.length) return undefined
  const missing = pass.input.findIndex((_, place) => !places.includes(place))
  if (missing < 0) return { permutation: places, taken: -1 }
  return { permutation: [...places, missing], taken: places.length }
}

/** Equal ciphertexts before and after a turn. */
export const equalCiphertexts = following('equal ciphertexts', (_view, pass) => matched(pass, sameCiphertext))

/** Places, as if honest members neither shuffled nor chose. */
export const positions = following(
  POSITIONS,
  (_view, { input, output }) => ({
    permutation: input.map((_, place) => place),
    taken: output.length < input.length ? 0 : -1,
  }),
  ({ firstList }) => (firstList.includes(undefined) ? firstList.map((_, place) => place) : firstList),
)

/** Equal differences of first halves: one random number for a whole turn. */
export const quotients = following('equal quotients', readQuotients, ({ group, table, passes, firstList }) => {
  if (!firstList.includes(undefined)) return firstList
  // Encrypted with one number, two tickets differ by what is in them.
  const list = passes[0]!.output
  for (const guess of table) {
    const mask = group.subtract(list[0]!.c2, guess)
    const labels = list.map(({ c2 }) => table.findIndex(one => sameBytes(one, group.subtract(c2, mask))))
    if (!labels.includes(-1)) return labels
  }
  return firstList
})

function readQuotients({ group, dealt }: View, pass: Pass): Kept | undefined {
  // The ticket that was taken is seen too, when its owner asks for shares.
  const taken = pass.output.length < pass.input.length ? dealt.get(pass.by) : undefined
  const whole = taken === undefined ? pass : { ...pass, output: [...pass.output, taken] }
  const [shown] = whole.output
  for (const { c1, c2 } of pass.input) {
    if (shown === undefined) break
    const [step1, step2] = [group.subtract(shown.c1, c1), group.subtract(shown.c2, c2)]
    const found = matched(
      whole,
      (output, input) =>
        sameBytes(group.subtract(output.c1, step1), input.c1) && sameBytes(group.subtract(output.c2, step2), input.c2),
    )
    if (found !== undefined) return taken === undefined ? found : { ...found, taken: pass.output.length }
  }
  return undefined
}

/** Shares on the wire for a ticket, its owner's among them. */
export const ownShare: Adversary = {
  name: 'own share on the wire',
  silent: true,
  guess(view) {
    for (const owner of view.honest) {
      const ticket = view.dealt.get(owner)
      const shares = sharesFor(view, owner)
      if (ticket === undefined || shares.size < view.members) continue
      const found = from(view, owner, read(view, combine(view.group, ticket, [...shares.values()])))
      if (found !== undefined) return found
    }
    return undefined
  },
}

function sharesFor(view: View, owner: number): Map<number, Element> {
  const shares = new Map(view.shares.filter(share => share.owner === owner).map(({ from: by, value }) => [by, value]))
  const ticket = view.dealt.get(owner)
  for (const [position, secret] of view.secrets) {
    if (ticket !== undefined) shares.set(position, partialDecryption(view.group, secret, ticket.c1))
  }
  return shares
}

function read(view: View, element: Element): number | undefined {
  const ticket = view.table.findIndex(one => sameBytes(one, element))
  return ticket < 0 ? undefined : ticket
}

/** Whether the content is a square shows through the encryption: which symbol went missing in an honest turn? */
export const legendreSymbols: Adversary = {
  name: 'Legendre symbols',
  silent: true,
  guess(view) {
    if (!view.group.name.startsWith('insecure-squares')) return undefined
    const symbol = (element: Element) => legendre(integerOf(element, 'highFirst'), SMALL_MODULUS)
    const squares = (list: readonly Ciphertext[]) => list.filter(({ c2 }) => symbol(c2) === 1).length
    const [low, high] = view.left.map(ticket => symbol(view.table[ticket]!))
    if (low === high) return undefined
    for (const { by, input, output } of view.passes.slice(1)) {
      if (!view.honest.includes(by) || output.length === input.length) continue
      const taken = squares(input) > squares(output) ? 1 : -1
      return from(view, by, view.left[taken === low ? 0 : 1])
    }
    return undefined
  },
}

/**
 * Laps of the release token, beside what is seen of the users: who ended its work first. Only where both have slots: the
 * one of their two entries that comes free alone is the first one's. (The last lap that ended before the second released is
 * not enough: a lap may pass both before that, and end after it.)
 */
export const releaseLaps: Adversary = {
  name: 'release laps differenced',
  guess(view) {
    const { left, laps, slots, members } = view
    if (left[1] >= slots || laps.length === 0 || laps.some(lap => lap.free.length !== members)) return undefined
    const early = laps.map(({ free }) => left.filter(ticket => free[ticket])).find(({ length }) => length === 1)
    return early === undefined ? undefined : from(view, view.firstToRelease, early[0])
  },
}

/** How long a turn took, measured by how long the coalition's own turn took for a ticket that it knows. */
export const timing: Adversary = {
  name: 'timing',
  guess(view) {
    const yardstick = [...view.opened].find(([position]) => (view.took.get(position) ?? 0) > 0)
    const position = view.honest.find(one => (view.took.get(one) ?? 0) > 0)
    if (yardstick === undefined || position === undefined) return undefined
    const [measured, known] = yardstick
    const each = view.took.get(measured)! / (1 + known)
    const ticket = view.took.get(position)! / each - 1
    const [low, high] = view.left
    return from(view, position, Math.abs(ticket - low) < Math.abs(ticket - high) ? low : high)
  },
}

/** The coordinator wanted a slot, and took its ticket first. */
export const coordinatorPrior: Adversary = {
  name: 'coordinator prior',
  guess(view) {
    const { coordinator, honest, left, slots } = view
    if (coordinator === undefined || !honest.includes(coordinator as never)) return undefined
    const valid = left.filter(ticket => ticket < slots)
    return valid.length === 1 ? from(view, coordinator, valid[0]) : undefined
  },
}

/** What a member that deviates got out of the others. */
export const thief: Adversary = {
  name: 'deviating member',
  guess: view => view.stolen,
}

/** Given one honest key it must always win, or the game is not played right. */
export const control: Adversary = {
  name: 'control: one honest key',
  guess(view) {
    if (view.betrayed === undefined) return undefined
    const [position, secret] = view.betrayed
    const ticket = view.dealt.get(position)
    if (ticket === undefined) return undefined
    const shares = sharesFor(view, position).set(position, partialDecryption(view.group, secret, ticket.c1))
    if (shares.size < view.members) return undefined
    return from(view, position, read(view, combine(view.group, ticket, [...shares.values()])))
  },
}
