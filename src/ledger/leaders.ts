// Who leads an attempt, how long it is waited for, and which leaders are passed over: their attempts are left at once.
//
// A leader that is gone, or lies, costs a time-out. Were it waited for in each of its turns, a group whose heights take five
// milliseconds would stand still for half of the time. So each server remembers who failed, and waits for it less and less
// often; who leads well for a while is forgiven. Who has not voted for a whole turn is not waited for at all until it votes
// again, and who was caught at a lie no more.
//
// Only how long to wait hangs on it, so servers may disagree: a height can be certified in two attempts. To begin at the later
// attempt without reports would need a number that all agree on. Nobody is passed over by the word of others, nor more of them
// than servers may be gone; and where more attempts failed than that, the network did, and nobody is remembered for it.

import type { Millis } from '../core/index.ts'

/** A leader has so many times as long as heights took lately, but not less than the first and not more than the setting. */
const PATIENCE = 10
export const PATIENCE_MIN: Millis = 200
const DOUBLINGS_MAX = 10

/**
 * How long an attempt lasts, each later one twice as long. A group whose heights take five milliseconds need not stand still for a
 * second because a leader is gone; one whose disks or network are slow takes longer over its heights, and so waits longer.
 */
export function patienceOf(pace: Millis, attempt: number, attemptMax: Millis): Millis {
  const first = Math.min(attemptMax, Math.max(PATIENCE_MIN, PATIENCE * pace))
  return first * 2 ** Math.min(attempt - 1, DOUBLINGS_MAX)
}

/** How long heights take: the slowest of late, which fades. */
export function nextPace(pace: Millis, took: Millis): Millis {
  return Math.max(took, (pace * 7) / 8)
}

/** Heights for which one order of leaders holds. */
const TURN = 16

const turnOf = (height: number): number => Math.floor(height / TURN)

/** Who leads: the same for sixteen heights, then the next, so that one who leaves somebody's leaves out does not stay. */
export function leaderOf(height: number, attempt: number, servers: number): number {
  return (turnOf(height) + attempt) % servers
}

/**
 * For how many of its turns a leader is passed over, by how often it failed: the rest of this one, and then these. The last is how
 * seldom one costs a time-out that never leads: once in sixteen turns of its own.
 */
const PASSED_OVER = [0, 3, 15] as const

/** Turns of its own that a leader must lead to be forgiven one failure. After one, a liar could fail in every other turn for ever. */
const FORGIVEN_AFTER = 8

/** What is remembered of a leader that failed. */
export interface Failure {
  readonly times: number
  /** The last turn in which it is passed over. */
  readonly until: number
}

/** By place. */
export type Failures = Map<number, Failure>

/** By place: in how many heights, one after the other, no vote of that server came. */
export type Quiet = Map<number, number>

/** What a server knows of who leads. */
export interface Known {
  readonly failures: Failures
  readonly quiet: Quiet
  /** Its own place. Why others passed it over it cannot know; were that a failure of its own, it would not lead the rest of its turn. */
  readonly self: number
  /** Whether that server was caught at a lie. */
  isLiar(place: number): boolean
}

interface Group {
  readonly servers: readonly unknown[]
  readonly crashes: number
}

/** Whether an attempt of the height is left at once. */
export function isPassedOver(
  { failures, quiet, isLiar }: Known,
  height: number,
  attempt: number,
  { servers, crashes }: Group,
): boolean {
  if (attempt > crashes) return false
  const leader = leaderOf(height, attempt, servers.length)
  if ((quiet.get(leader) ?? 0) >= TURN || isLiar(leader)) return true
  const failure = failures.get(leader)
  return failure !== undefined && turnOf(height) <= failure.until
}

/** Counts a height for whoever did not vote in it; the votes are those that made the certificate, or came before it. */
export function noteVoters(quiet: Quiet, voted: ReadonlyMap<number, unknown>, { servers }: Group): void {
  for (const place of servers.keys()) quiet.set(place, voted.has(place) ? 0 : (quiet.get(place) ?? 0) + 1)
}

/**
 * Remembers whose attempts came to nothing before the one that was certified, and forgives who led for long. Who was passed over could
 * not lead, and did not fail: else a liar that shows its proposals to all but the next leader makes that one silent, and a failure.
 */
export function noteCertified(known: Known, height: number, attempt: number, group: Group): void {
  const { failures } = known
  const { servers, crashes } = group
  if (attempt > crashes + 1) return
  const turn = turnOf(height)
  for (let failed = 1; failed < attempt; failed++) {
    const place = leaderOf(height, failed, servers.length)
    if (place === known.self) continue
    const failure = failures.get(place)
    if (isPassedOver(known, height, failed, group)) {
      // Nor does it lead this turn: it is forgiven nothing for it.
      if (failure !== undefined && failure.until < turn) failures.set(place, { ...failure, until: turn })
      continue
    }
    const times = Math.min((failure?.times ?? 0) + 1, PASSED_OVER.length)
    failures.set(place, { times, until: turn + PASSED_OVER[times - 1]! * servers.length })
  }
  if (turnOf(height + 1) !== turn) forgive(failures, leaderOf(height, 1, servers.length), turn, servers.length)
}

/** One failure, where it has led so many of its turns since. */
function forgive(failures: Failures, place: number, turn: number, servers: number): void {
  const known = failures.get(place)
  if (known === undefined || turn < known.until + FORGIVEN_AFTER * servers) return
  if (known.times === 1) failures.delete(place)
  else failures.set(place, { times: known.times - 1, until: turn })
}
