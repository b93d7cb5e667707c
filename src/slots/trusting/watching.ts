// Who holds up the ring? A token that does not come tells nobody where it is. So each member says now and then how far
// it is. A member that says nothing for as long as the group's patience is silent; and where all speak and nothing moves, the
// first of those that are furthest behind is, whatever keeps it: its neighbour may not reach it. All see the same
// pulses, so all call the same one silent, and it is left out by the next epoch.

import { ringRules } from '../ring/index.ts'
import type { Heard, HostedRing, TrustingScene } from './state.ts'

/** Pulses in the time after which one is silent: some may be lost. */
const PULSES_PER_PATIENCE = 4

/** How far a member is in its round: has not passed the request token on, has, has opened its ticket, and each lap. */
function stageOf({ state: { round } }: HostedRing): number {
  if (!round.passed) return 0
  return round.opened === undefined ? 1 : 2 + round.lap
}

/** Something came from that member; a pulse says how far it is. */
export function heardFrom(
  ring: HostedRing,
  place: number,
  now: number,
  pulse?: { readonly round: number; readonly stage: number },
): void {
  const heard = ring.heard[place]!
  heard.at = Math.max(heard.at, now)
  // An older pulse may come later.
  if (pulse === undefined || !isBehind(heard, pulse)) return
  heard.round = pulse.round
  heard.stage = pulse.stage
  ring.movedAt = Math.max(ring.movedAt, now)
}

type Reached = Pick<Heard, 'round' | 'stage'>

function isBehind(one: Reached, other: Reached): boolean {
  return one.round < other.round || (one.round === other.round && one.stage < other.stage)
}

/** On the beat: says how far we are, and finds who is silent. */
export function watch(scene: TrustingScene, ring: HostedRing): void {
  const { state, turn, trusting } = scene
  const { patience } = scene.settings
  const { position } = ring.state
  const own = { round: ring.state.round.number, stage: stageOf(ring) }
  heardFrom(ring, position, turn.now, own)
  if (turn.now >= ring.pulseAt) {
    ring.pulseAt = turn.now + patience / PULSES_PER_PATIENCE
    for (const to of ring.state.ring) {
      if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'pulse', epoch: state.epoch.hash, ...own } })
    }
  }
  const silent = new Set<number>()
  for (const [place, { at }] of ring.heard.entries()) {
    if (place !== position && turn.now > at + patience) silent.add(place)
  }
  const still = trusting.isStill(turn.now - ring.movedAt, patience)
  const last = lastOf(ring)
  if (still && last !== position) silent.add(last)
  tell(scene, silent)
}

/** In ring order from the coordinator on, the first of those that are furthest behind. */
export function lastOf({ heard }: Pick<HostedRing, 'heard'>): number {
  const newest = Math.max(...heard.map(({ round }) => round))
  const first = ringRules.coordinator(newest, heard.length)
  let last = first
  for (let place = 0; place < heard.length; place++) {
    const position = (first + place) % heard.length
    if (isBehind(heard[position]!, heard[last]!)) last = position
  }
  return last
}

function tell({ state, turn }: TrustingScene, silent: ReadonlySet<number>): void {
  const { epoch } = state
  const isNew = [...silent].some(place => !epoch.silent.has(place))
  epoch.silent.clear()
  for (const place of silent) epoch.silent.set(place, turn.now)
  if (!isNew) return
  const members = [...silent].map(place => epoch.record.members[place]!.name)
  turn.do({ kind: 'emit', event: { kind: 'silent', members } })
}
