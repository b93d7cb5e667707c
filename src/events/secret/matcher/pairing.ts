// Peks mode: of an event that is marked for a reader, each of that reader's trapdoors is tried, one pairing each, until one finds it.
//
// A pairing takes four milliseconds. They are done a few at a time, the readers in turn, and a bounded number may wait: beyond it
// the one for whom most wait gives way. So whoever asks for much, or in another's name, slows itself down first.

import { channelNames, lettersOf } from '../keys.ts'
import { PAIRINGS_MAX, PAIRINGS_TURN, SEARCHED_MAX, TRAPDOORS_MAX } from '../limits.ts'
import type { Frame, MarkedEvent } from '../wire.ts'
import { type Job, type MatcherScene, type MatcherState, matcherTimers, type Seeker } from './state.ts'

/** Between the pairings of one turn and the next: what came meanwhile is heard. */
const PAIR_EVERY_MS = 1

/** Trapdoors of all readers and modes. */
export function heldIn({ trapdoors, searched }: MatcherState): number {
  return trapdoors.size + searched
}

/** A reader wants what is marked for it and has one of these; what it gave before counts no more. */
export function onSearch(scene: MatcherScene, { box, reader, trapdoors }: Frame & { kind: 'search' }): void {
  const { state, settings, turn } = scene
  const { match } = settings
  if (match === undefined) return
  const name = `${box} ${lettersOf(reader)}`
  const known = state.seekers.get(name)
  const before = known?.trapdoors.length ?? 0
  if (heldIn(state) - before + trapdoors.length > TRAPDOORS_MAX)
    return turn.do({ kind: 'emit', event: { kind: 'full', trapdoors: heldIn(state) } })
  const sound = trapdoors.slice(0, SEARCHED_MAX).filter(one => match.isTrapdoor(one))
  if (sound.length === 0) return known === undefined ? undefined : forget(state, name, known)
  const seeker: Seeker = known ?? { box, reader: lettersOf(reader), trapdoors: [], heard: 0, jobs: [] }
  state.searched += sound.length - before
  seeker.trapdoors = sound
  seeker.heard = turn.now
  if (known !== undefined) return
  state.seekers.set(name, seeker)
  state.readers.set(seeker.reader, (state.readers.get(seeker.reader) ?? new Set()).add(seeker))
}

function forget(state: MatcherState, name: string, seeker: Seeker): void {
  state.seekers.delete(name)
  state.searched -= seeker.trapdoors.length
  const same = state.readers.get(seeker.reader)
  same?.delete(seeker)
  if (same?.size === 0) state.readers.delete(seeker.reader)
  for (const job of seeker.jobs.splice(0)) state.pairings -= leftOf(job)
}

/** Who has not said for long what it looks for. */
export function forgetSeekers({ state, settings, turn }: MatcherScene): void {
  for (const [name, seeker] of [...state.seekers]) {
    if (seeker.heard + settings.forgetAfter < turn.now) forget(state, name, seeker)
  }
}

const leftOf = ({ trapdoors, tried }: Job) => trapdoors.length - tried
const queuedOf = ({ jobs }: Seeker) => jobs.reduce((sum, job) => sum + leftOf(job), 0)

/** An event for one reader. */
export function onMarked(
  scene: MatcherScene,
  from: string,
  name: string,
  { frame, body }: { readonly frame: MarkedEvent; readonly body: Uint8Array },
): void {
  const { state, settings, turn } = scene
  const channel = settings.channels.find(id => channelNames(id).matcher === name)
  const seekers = state.readers.get(lettersOf(frame.reader))
  if (channel === undefined || seekers === undefined || settings.match?.isPoint(frame.point) !== true) {
    return turn.do({ kind: 'emit', event: { kind: 'matched', boxes: 0, tags: frame.marks.length } })
  }
  const marks = new Set(frame.marks.map(lettersOf))
  for (const seeker of seekers) {
    const { trapdoors } = seeker
    seeker.jobs.push({ from, channel, point: frame.point, marks, body, trapdoors, tried: 0 })
    state.pairings += trapdoors.length
    if (!state.busy.includes(seeker)) state.busy.push(seeker)
    makeRoom(scene)
  }
  if (state.busy.length > 0) matcherTimers.set(turn, 'pair', PAIR_EVERY_MS)
}

/** The one for whom most pairings wait gives up its newest event. */
function makeRoom({ state, turn }: MatcherScene): void {
  while (state.pairings > PAIRINGS_MAX) {
    const longest = state.busy.reduce((one, other) => (queuedOf(other) > queuedOf(one) ? other : one))
    state.pairings -= leftOf(longest.jobs.pop()!)
    turn.do({ kind: 'emit', event: { kind: 'behind', pairings: state.pairings } })
  }
}

/** The next pairings, the readers in turn. */
export function onPair(scene: MatcherScene): void {
  const { state, turn } = scene
  for (let done = 0; done < PAIRINGS_TURN && state.busy.length > 0; ) {
    const seeker = state.busy.shift()!
    const job = seeker.jobs[0]
    if (job === undefined) continue
    state.busy.push(seeker)
    done++
    tryNext(scene, seeker, job)
  }
  if (state.busy.length > 0) matcherTimers.set(turn, 'pair', PAIR_EVERY_MS)
}

function tryNext({ state, settings, turn }: MatcherScene, seeker: Seeker, job: Job): void {
  const { channel, trapdoors, point, marks, from, body } = job
  const found = marks.has(lettersOf(settings.match!.mark(channel, trapdoors[job.tried]!, point)))
  job.tried++
  state.pairings--
  if (!found && leftOf(job) > 0) return
  state.pairings -= leftOf(job)
  seeker.jobs.shift()
  if (found) turn.do({ kind: 'send', to: from, body: { kind: 'send', name: seeker.box, body } })
  turn.do({ kind: 'emit', event: { kind: 'matched', boxes: found ? 1 : 0, tags: marks.size } })
}
