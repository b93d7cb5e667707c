// For links with a rate: an hour passes when b + 1 servers say so, one of them honest. The hour is a leaf, a tick: sizes
// would be no clock, since leaves cost nothing.

import type { Millis } from '../../core/index.ts'
import { tickBytes } from '../authority.ts'
import { whyNotNow } from '../execute.ts'

import { writeTransaction } from '../transactions.ts'
import type { PeerMessage } from '../wire.ts'
import { put } from './pool.ts'
import { executionOf, type LedgerScene, sendOthers, voterOf } from './state.ts'

const HOUR: Millis = 3_600_000

/** Whether anybody counts hours here. */
export function countsHours({ ledger }: LedgerScene): boolean {
  for (const { rate } of ledger.book.links.values()) if (rate > 0n) return true
  return false
}

/** On each beat: says that an hour has passed, again and again until it is a leaf. */
export function sayHour(scene: LedgerScene): void {
  const { ledger, turn } = scene
  if (!countsHours(scene) || ledger.place < 0) return
  ledger.hourAt ??= turn.now + HOUR
  const number = ledger.book.ticks + 1
  if (turn.now < ledger.hourAt) return
  const signature = voterOf(scene).sign(tickBytes(ledger.descriptor, number))
  ledger.hours.set(ledger.place, { number, signature })
  sendOthers(scene, { kind: 'hour', ledger: ledger.descriptor.id, number, signature })
}

export function onHour(
  { ledger, settings }: LedgerScene,
  _from: string,
  place: number,
  body: PeerMessage & { kind: 'hour' },
): void {
  const { number, signature } = body
  if (number !== ledger.book.ticks + 1) return
  const { key } = ledger.keepers.servers[place]!
  if (settings.suite.verify(key, tickBytes(ledger.descriptor, number), signature))
    ledger.hours.set(place, { number, signature })
}

/** b + 1 of them make a leaf that waits like any other. */
export function advanceHours(scene: LedgerScene): void {
  const { ledger, turn } = scene
  if (ledger.hours.size === 0) return
  const number = ledger.book.ticks + 1
  const signed = [...ledger.hours].filter(([, hour]) => hour.number === number)
  if (signed.length <= ledger.keepers.liars) return
  const signatures = signed
    .sort(([one], [other]) => one - other)
    .map(([server, { signature }]) => ({ server, signature }))
  const leaf = writeTransaction({
    kind: 'tick',
    number,
    signatures: signatures.slice(0, ledger.keepers.liars + 1),
  })
  const { name } = ledger.memory.of(leaf)
  if (ledger.pool.entries.has(name) || whyNotNow(ledger.book, leaf, executionOf(scene)) !== undefined) return
  put(scene, { leaf, name, owner: '', ready: false, account: undefined, sequence: 0, askers: [] }, true)
  ledger.hourAt = turn.now + HOUR
}
