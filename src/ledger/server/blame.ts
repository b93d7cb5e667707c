// Which words of a server cannot be, whatever the network did. An honest server votes once in an attempt, and its report about
// an attempt names the newest vote that it gave before; both are on its disk before anybody hears them. It signs what it says,
// and proposes and hands on what it has executed. A server whose store was put back from an old copy contradicts itself, too:
// it has to be looked at all the same. No server believes another in this, and who was caught leads no more. People who ask are told.

import { type NodeId, sameBytes } from '../../core/index.ts'
import type { Statement } from '../checkpoint.ts'
import type { Known } from '../leaders.ts'
import type { Report } from '../proposal.ts'
import type { LedgerLie, LedgerRequest } from '../wire.ts'
import { type LedgerScene, nameOf, type ServerScene, send } from './state.ts'

export const UNSIGNED: LedgerLie = 'gave a word under a signature that does not hold'
export const UNSOUND: LedgerLie = 'proposed what cannot be'

/** Another thing in the same attempt. The caller has looked at the signature of the first one only. */
export function isSecondVote(known: Statement, next: Statement): boolean {
  if (known.attempt !== next.attempt || known.height !== next.height) return false
  const isSame = known.size === next.size && sameBytes(known.root, next.root)
  return !isSame || !sameBytes(known.proposal, next.proposal)
}

/** A report says which vote is the newest below its attempt: a later one, signed too, was denied. */
export function isDenied({ attempt, vote }: Report, given: Statement): boolean {
  return given.attempt < attempt && (vote?.attempt ?? 0) < given.attempt
}

/** The server signed it, and it cannot be. */
export function blame(scene: LedgerScene, place: number, what: LedgerLie): void {
  blameServer(scene, nameOf(scene.ledger, place), what)
}

/** The server said it, and it cannot be: of one that may not keep the ledger, too. */
export function blameServer({ state, ledger, turn }: LedgerScene, server: NodeId, what: LedgerLie): void {
  if (isBlamed(state, server, what)) return
  state.blamed.set(server, [...(state.blamed.get(server) ?? []), what])
  turn.do({ kind: 'emit', event: { kind: 'lied', ledger: ledger.descriptor.genesis.name, server, what } })
}

/** Whoever asks counts how many servers say the same: this one may lie, too. A genesis may name clients as keepers, and they are no server. */
export function onCaught(scene: ServerScene, from: NodeId, { query }: LedgerRequest & { kind: 'caught' }): void {
  const { peers } = scene.state
  const lies = [...scene.state.blamed].map(([server, what]) => ({ server, what }))
  send(scene, from, { kind: 'blamed', query, lies: lies.filter(({ server }) => peers.includes(server)) })
}

/** Whether that was told already: a flood of it costs no more signatures. */
export function isBlamed({ blamed }: LedgerScene['state'], server: string, what: LedgerLie): boolean {
  return blamed.get(server)?.includes(what) ?? false
}

/** What this server knows of who leads; who was caught at anything is a liar. */
export function knownOf({ state, ledger }: Pick<LedgerScene, 'state' | 'ledger'>): Known {
  const { failures, quiet, place: self } = ledger
  return { failures, quiet, self, isLiar: place => state.blamed.has(nameOf(ledger, place)) }
}
