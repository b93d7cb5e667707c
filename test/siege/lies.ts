// Lies that only a flood shows, besides those of the proofs; how often a lie may be repeated; and which lies prove
// themselves, so that the liar must be named.

import type { LyingPart, MoreLies } from '../../lab/lying-node.ts'
import type { AnyProtocol, NodeId, Turn } from '../../src/core/index.ts'
import type { ElectionMessage, ElectionState } from '../../src/election/index.ts'
import type { LockMessage } from '../../src/lock/index.ts'
import { usurping } from '../../src/lock/proof/liars.ts'
import type { OrderingMessage } from '../../src/ordering/index.ts'
import { type Liar, twisting } from '../../src/simulator/index.ts'

/** The highest rate at which each part is listened to, to one peer; where nothing bounds it, what a machine bears. */
export const PER_SECOND: Readonly<Record<LyingPart, number>> = {
  lock: 2_000,
  ordering: 2_000,
  events: 2_000,
  ledger: 2_000,
  membership: 250,
  election: 2_000,
  slots: 500,
  routing: 500,
  interest: 500,
  // Only who starts asks; whoever says more is not heard.
  lives: 100,
  node: 2_000,
}

const HEAVY_BYTES = 190_000
/** Far below what a number may be, far above what honest ones reach. */
const FAR = 2 ** 40
const HIGHEST_TERM = 2 ** 53 - 1
const LIE_EVERY_MS = 20

/** A single server that says, of every token, that it is too low by much. */
const tooLow: Liar = {
  name: 'too-low',
  corrupt: honest => ({
    ...honest,
    step(state, input, turn: Turn<LockMessage, never>) {
      const asked = input.kind === 'message' ? (input.body as LockMessage) : undefined
      if (input.kind !== 'message' || (asked?.kind !== 'try' && asked?.kind !== 'wait')) {
        return honest.step(state, input, turn)
      }
      const { name, attempt, token } = asked
      turn.do({ kind: 'send', to: input.from, body: { kind: 'tooLow', name, attempt, maximum: token + 2 ** 32 } })
    },
  }),
}

type ObjectTurn = Turn<OrderingMessage, never>
type Head = { readonly version: number; readonly digest: Uint8Array }

/** Tells of one operation again and again, large, and each time another. */
const heavyVotes = twisting('heavy-votes', (send, turn: ObjectTurn) => {
  turn.do(send as never)
  const { object } = send.body
  if (typeof object !== 'string') return
  const body = new Uint8Array(HEAVY_BYTES)
  body.set(turn.bytes(8), HEAVY_BYTES - 8)
  const session = `${FAR}.0`
  const operation = { kind: 'apply', client: send.to, session, seq: 1, ack: 0, body } as const
  turn.do({ kind: 'send', to: send.to, body: { kind: 'pushed', object, operations: [operation] } })
})

/** Calls decided what nobody else vouches for, one large change after the other. */
const heavyHeads = twisting('heavy-heads', (send, turn: ObjectTurn) => {
  turn.do(send as never)
  const { object, committed } = send.body as { readonly object?: string; readonly committed?: Head }
  if (object === undefined || committed === undefined) return
  const head = { version: committed.version + 1 + turn.below(1_000), digest: turn.bytes(32) }
  const change = turn.bytes(HEAVY_BYTES)
  turn.do({ kind: 'send', to: send.to, body: { kind: 'committed', object, head, change } })
})

type ElectionTurn = Turn<ElectionMessage, never>
type Said = (name: string, term: number, turn: ElectionTurn) => ElectionMessage

/** Honest, and beside it, on a beat of its own, a word to all. */
function toAll(name: string, said: Said): Liar {
  return {
    name,
    corrupt(honest: AnyProtocol): AnyProtocol {
      let heard = { name: 'jobs', term: 1 }
      return {
        ...honest,
        step(state: ElectionState, input, turn: ElectionTurn) {
          if (input.kind === 'start') turn.do({ kind: 'timer', name: 'lie', after: LIE_EVERY_MS })
          if (input.kind === 'timer' && input.name === 'lie') {
            turn.do({ kind: 'timer', name: 'lie', after: LIE_EVERY_MS })
            for (const to of othersOf(state)) turn.do({ kind: 'send', to, body: said(heard.name, heard.term, turn) })
            return
          }
          const body = input.kind === 'message' ? (input.body as Partial<typeof heard>) : undefined
          if (body?.name !== undefined && body.term !== undefined) heard = { name: body.name, term: body.term }
          honest.step(state, input, turn)
        },
      }
    },
  }
}

function othersOf({ electorate, self }: ElectionState): NodeId[] {
  return (electorate?.members ?? []).map(({ id }) => id).filter(id => id !== self)
}

const endlessRefusals = toAll('endless-refusals', (name, term) => {
  return { kind: 'refusal', name, term, highest: HIGHEST_TERM, remaining: 0 }
})

const newNames = toAll('new-names', (_name, _term, turn) => {
  const view = { rows: [], leftOut: [] }
  return { kind: 'call', name: `new-${turn.below(1_000_000)}`, term: 1, electorate: 1, view }
})

const farTerms = toAll('far-terms', (name, term, turn) => {
  return { kind: 'call', name, term: term + turn.below(1_000), electorate: 1, view: { rows: [], leftOut: [] } }
})

export const moreServerLies: MoreLies = {
  lock: () => [tooLow, usurping],
  ordering: () => [heavyVotes, heavyHeads],
}
export const moreMemberLies: MoreLies = {
  election: () => [endlessRefusals, newNames, farTerms],
}

/**
 * Lies whose words prove them to whoever hears them: a contradiction under one name, a signature under two things, content
 * that is not what its digest says, a number that cannot be. Whoever is silent, slow, busy or late has proved nothing.
 */
export const PROVABLE: readonly string[] = [
  'lock/token-burner',
  'lock/forging',
  'lock/replaying',
  'ordering/ahead-of-time',
  'ordering/content-forger',
  'ordering/misanswering',
  'ordering/inventing',
  'ordering/always-busy',
  'ordering/forging',
  'ordering/heavy-votes',
  'ledger/votes for anything',
  'ledger/forks',
  'ledger/proposes rubbish',
  'ledger/forging',
  'events/ahead',
  'events/withholding',
  'events/foreign-events',
  'events/altering',
  'membership/two-faced',
  'membership/floods',
  'membership/forges leaves',
  'membership/forges lives',
  'membership/asks in others’ names',
  'membership/accuses all',
  'election/votes-twice',
  'election/inflates-terms',
  'election/resigns-for-others',
  'election/forges-lists',
  'election/forges-leaders',
  'election/proves-with-too-few',
  'routing/two-faced',
  'routing/inventing',
  'interest/two-faced',
  'slots/doubled-ticket',
  'slots/tagged-ticket',
  'slots/point-outside',
  'slots/point-of-identity',
  'slots/false-share',
  'slots/false-opening',
  'slots/two-passes',
  'slots/two-votes',
  'slots/cancelling',
  'slots/slipping-in',
  'slots/rogue-key',
  'slots/odd-header',
  'slots/two-keys',
  'slots/forging',
]

const COMMITTED = [
  'another state of a committed version',
  'two states of one version',
  'a committed version that nobody has',
]
const CONTENT = ['values that never were', 'changes that do not lead to its digest']
const ANSWERS = ['an answer that was never given', 'a living session that it called gone']
const INVENTED = ['an operation that nobody asked for', 'an operation of ours that we never asked for']
const BUSY = ['a turn that is longer than any']
const EVENTS = [
  'holds more than was sent',
  'holds other events than were sent',
  'passed over a signed event',
  'left out a signed event',
  'gave a hash of other events than it has',
  'showed events out of order',
  'showed an event nobody signed',
  'gave an event nobody signed',
]

const CONTRADICTING = ['signed two votes of one attempt', 'denied a vote that it signed']
const UNSIGNED = 'gave a word under a signature that does not hold'
const UNSOUND = 'proposed what cannot be'

const LOCK_NUMBERS = [
  'answered what was never asked',
  'granted a token that was never asked for',
  'granted another token than was asked for',
  'granted for longer than the longest lease',
  'heard a ping that was never sent',
  'told of a lease beyond the longest there is',
  'called a token too low that is above its own',
  'asked a grant back that was never asked for',
]

/** In which words these are named: in a member's log, or by the clients of a server. */
export const WAYS: Readonly<Record<string, readonly string[]>> = {
  'lock/token-burner': ['claims a token that no clock explains (or it was spoiled: coterie unlock --reset-floor)'],
  'lock/forging': LOCK_NUMBERS,
  'lock/replaying': LOCK_NUMBERS,
  'ordering/ahead-of-time': COMMITTED,
  'ordering/content-forger': CONTENT,
  'ordering/misanswering': ANSWERS,
  'ordering/inventing': INVENTED,
  'ordering/heavy-votes': INVENTED,
  'ordering/always-busy': BUSY,
  // It changes any word.
  'ordering/forging': [...COMMITTED, ...CONTENT, ...ANSWERS, ...INVENTED, ...BUSY],
  'ledger/votes for anything': CONTRADICTING,
  'ledger/forks': CONTRADICTING,
  'ledger/proposes rubbish': [UNSOUND],
  'ledger/forging': [UNSIGNED, UNSOUND],
  'ledger/gives rubbish': ['gave leaves that do not lead to their certificate'],
  'events/ahead': EVENTS,
  'events/withholding': EVENTS,
  'events/foreign-events': EVENTS,
  'events/altering': EVENTS,
  'membership/two-faced': ['two-faced'],
  'membership/floods': ['flooding'],
  'membership/forges leaves': ['forging'],
  'membership/forges lives': ['forging'],
  'membership/asks in others’ names': ['forging'],
  'membership/accuses all': ['accusing'],
  'election/votes-twice': ['voted-twice'],
  'election/inflates-terms': ['impossible-term'],
  'election/resigns-for-others': ['false-resignation'],
  'election/forges-lists': ['forged-list'],
  'election/forges-leaders': ['false-proof'],
  'election/proves-with-too-few': ['false-proof'],
  'routing/two-faced': ['forged-event'],
  'routing/inventing': ['forged-event'],
  'interest/two-faced': ['forged-event'],
}

export interface ToldLie {
  readonly part: LyingPart
  readonly lie: string
}

export function waysOf({ part, lie }: ToldLie): readonly string[] {
  return WAYS[`${part}/${lie}`] ?? []
}

/** Whether these words are about this lie: what is said late of the lie before is no answer to this one. */
export function isAnswered(lie: ToldLie, earlier: ToldLie | undefined, said: readonly string[]): boolean {
  const isAbout = (of: ToldLie | undefined, what: string) =>
    of !== undefined && waysOf(of).some(way => what.endsWith(way))
  return said.some(what => isAbout(lie, what) || !isAbout(earlier, what))
}

/** Lies about what is said once, when slots are opened, or when a server starts: it lies before that begins. */
export function isOfBeginnings(part: LyingPart, lie: string): boolean {
  return part === 'lives' || ['slots/two-keys', 'slots/rogue-key'].includes(`${part}/${lie}`)
}

/**
 * Before that they have proved nothing: whoever floods has not used up what everybody may say at once (1,024 words of
 * gossip, at 500 a second), and of whoever accuses, six suspicions of each of two members must have been refuted, a second
 * or two each. Whoever invents operations is found out where a client hears of the same one from two others before it is
 * done: that takes clients that meet.
 */
const TOLD_MIN_MS: Readonly<Record<string, number>> = {
  'membership/floods': 6_000,
  'membership/accuses all': 12_000,
  'ordering/inventing': 6_000,
  // Elections are held one or two in a second, on a busy machine fewer, and it must take part in one.
  'election/votes-twice': 6_000,
  'election/proves-with-too-few': 6_000,
  // Two payments must wait at one moment, of which it proposes one to some and one to others.
  'ledger/forks': 6_000,
}

/** Whether its words prove it, when it is told for this many milliseconds. */
export function isProvable(part: LyingPart, lie: string, toldMs: number): boolean {
  const name = `${part}/${lie}`
  return PROVABLE.includes(name) && toldMs >= (TOLD_MIN_MS[name] ?? 0)
}
