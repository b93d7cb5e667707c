// Members that deviate (readings OMA 9 and 14): the levels `curious` and `strong` promise nothing against them, and
// here is why. Each makes a decryption service out of what honest members do for everybody, and reads a ticket that
// is not its own.

import type { AnyProtocol, Turn } from '../../src/core/index.ts'
import {
  type Ciphertext,
  combine,
  type Element,
  type Group,
  partialDecryption,
  removeLayer,
  type Scalar,
} from '../../src/crypto/index.ts'
import type { RingEvent, RingMessage, RingState, Tickets } from '../../src/slots/ring/index.ts'

export type Attack =
  /** Asks for shares of the victim's ticket, after those of its own. */
  | 'asks again'
  /** Asks for shares of the victim's ticket in place of its own, times a secret number: nobody can tell. */
  | 'asks blinded'
  /** Puts the victim's ticket into the release token: everybody takes off a layer. */
  | 'slipped in'

export interface Opportunity {
  readonly group: Group
  readonly tickets: Tickets
  /** The victim's ticket, once it went over the wire. */
  victim(): Ciphertext | undefined
  steal(ticket: number): void
}

type AttackTurn = Turn<RingMessage, RingEvent>

interface Loot {
  target: Ciphertext | undefined
  blinding: Scalar | undefined
  readonly shares: Map<string, Element>
}

export function attacked(honest: AnyProtocol, attack: Attack, opportunity: Opportunity): AnyProtocol {
  const loot: Loot = { target: undefined, blinding: undefined, shares: new Map() }
  return {
    ...honest,
    step(state: RingState, input, turn: AttackTurn) {
      if (input.kind === 'command' && (input.body as { kind: string }).kind === 'attack') {
        if (attack !== 'slipped in') ask(state, attack, opportunity, loot, turn)
        return
      }
      if (input.kind === 'message') look(state, input.from, input.body as RingMessage, opportunity, loot)
      honest.step(state, input, { ...turn, now: turn.now, do: effect => act(effect, state, attack, opportunity, turn) })
    },
  }
}

function ask(state: RingState, attack: Attack, { group, victim }: Opportunity, loot: Loot, turn: AttackTurn): void {
  const target = victim()
  if (target === undefined || loot.target !== undefined) return
  loot.target = target
  loot.blinding = attack === 'asks blinded' ? group.randomScalar(length => turn.bytes(length)) : group.scalar(1n)
  const ticket = { c1: group.multiply(target.c1, loot.blinding), c2: target.c2 }
  for (const to of state.ring) {
    if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'ask', round: state.round.number, ticket } })
  }
}

/** Shares that come in after the attack, and the release token that comes back. */
function look(state: RingState, from: string, body: RingMessage, opportunity: Opportunity, loot: Loot): void {
  const { group, tickets, steal } = opportunity
  if (body.kind === 'share' && loot.target !== undefined && loot.blinding !== undefined) {
    loot.shares.set(from, group.multiply(body.share, group.invertScalar(loot.blinding)))
    if (loot.shares.size < state.ring.length - 1) return
    const own = partialDecryption(group, state.secret!, loot.target.c1)
    const ticket = tickets.decode(combine(group, loot.target, [...loot.shares.values(), own]))
    if (ticket !== undefined) steal(ticket)
  }
  if (body.kind !== 'release') return
  for (const entry of body.entries) {
    const ticket = tickets.decode(removeLayer(group, state.secret!, entry).c2)
    if (ticket !== undefined) steal(ticket)
  }
}

function act(
  effect: Parameters<AttackTurn['do']>[0],
  state: RingState,
  attack: Attack,
  { victim }: Opportunity,
  turn: AttackTurn,
): void {
  const { kind } = effect
  // Its one question of the round is for another ticket than its own.
  if (kind === 'send' && effect.body.kind === 'ask' && attack === 'asks blinded') return
  const begins = kind === 'send' && effect.body.kind === 'release' && state.position === 0
  const target = attack === 'slipped in' && begins ? victim() : undefined
  if (target === undefined || !(kind === 'send' && effect.body.kind === 'release')) return turn.do(effect)
  turn.do({ ...effect, body: { ...effect.body, entries: [target] } })
}
