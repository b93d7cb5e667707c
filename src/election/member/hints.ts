// What this member's user and its membership say about an election: whether it is wanted, who stands, who is here. All
// of it is hints: safety does not rest on any.

import { memberOf } from '../count/electorate.ts'
import { ATTRIBUTES_MAX, MEMBERS_MAX, type Row } from '../wire.ts'
import type { CommandOf } from './commands.ts'
import { noteOpened, noteRows, noteSeen } from './first-election.ts'
import { type ElectionScene, raceOf } from './scene.ts'
import type { Race } from './state.ts'

export function onOpen(scene: ElectionScene, { name }: CommandOf<'open'>): void {
  setOpen(scene, name, true)
}

export function onClose(scene: ElectionScene, { name }: CommandOf<'close'>): void {
  setOpen(scene, name, false)
}

function setOpen(scene: ElectionScene, name: string, open: boolean): void {
  const race = raceOf(scene, name)
  if (race === undefined) return
  if (race.open !== open) {
    race.open = open
    noteOpened(scene, race)
  }
  wake(scene, race)
}

export function onView(scene: ElectionScene, body: CommandOf<'view'>): void {
  const race = raceOf(scene, body.name)
  if (race === undefined) return
  const rows = sorted(body.rows)
  noteRows(scene, race, rows)
  race.rows = rows
  wake(scene, race)
}

function wake({ turn }: ElectionScene, race: Race): void {
  if (turn.now >= race.pausedUntil) race.news.add('vacancy')
}

/** In the order of ids, so that equal views have equal digests; values as the wire can carry them. */
function sorted(rows: readonly Row[]): readonly Row[] {
  const last = new Map(rows.slice(0, MEMBERS_MAX).map(row => [row.member, row.values]))
  return [...last]
    .map(([member, values]) => ({ member, values: values.slice(0, ATTRIBUTES_MAX).map(whole) }))
    .sort((one, other) => (one.member < other.member ? -1 : 1))
}

function whole(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER) : 0
}

export function onFailed({ state }: ElectionScene, { members }: CommandOf<'failed'>): void {
  state.failed = members.slice(0, MEMBERS_MAX)
}

export function onSeen(scene: ElectionScene, { members }: CommandOf<'seen'>): void {
  const { state } = scene
  const before = state.quorumSeenAt
  noteSeen(scene, members)
  if (state.quorumSeenAt === before) return
  for (const race of state.races.values()) race.news.add('vacancy')
}

export function onVouch({ state }: ElectionScene, { member, failures }: CommandOf<'vouch'>): void {
  if (memberOf(state.electorate, member) !== undefined) state.vouchedFailures.set(member, failures)
}
