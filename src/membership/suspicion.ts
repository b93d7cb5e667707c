// How long a suspicion lasts, how often a claim is passed on, and how much a member doubts itself: the arithmetic of
// SWIM (Das, Gupta, Motivala 2002) and Lifeguard (Dadgar, Phillips, Currey 2017).

import type { Millis } from '../core/index.ts'
import type { Lifeguard, MembershipBeat } from './settings.ts'

/** The least time from suspicion to failure in a group of this size: α log10(n) T, since news takes log n steps. */
export function suspicionLeast(beat: MembershipBeat, members: number): Millis {
  return beat.suspicionLeast * Math.max(1, Math.log10(Math.max(1, members))) * beat.probeEvery
}

/**
 * How long a suspicion lasts, given how many others confirmed it. It starts at the longest and goes down with the logarithm:
 * the first to confirm says the most. One accuser alone may be the one that is ill.
 */
export function suspicionTime(
  beat: MembershipBeat,
  lifeguard: Lifeguard,
  members: number,
  confirmations: number,
): Millis {
  const least = suspicionLeast(beat, members)
  if (!lifeguard.dynamicSuspicion) return least
  // In a group of three, nobody but one is there to confirm.
  const needed = Math.min(beat.confirmations, Math.max(0, members - 3))
  if (needed === 0) return least
  const longest = least * beat.suspicionSpread
  const part = Math.log(confirmations + 1) / Math.log(needed + 1)
  return Math.max(least, longest - (longest - least) * part)
}

/** How often one member passes a claim on: λ ⌈log10(n + 1)⌉. */
export function retransmissions(beat: MembershipBeat, members: number): number {
  return beat.retransmissions * Math.ceil(Math.log10(members + 1))
}

/** Lifeguard's local health: 0 is well; each step makes the own beat slower by one beat. */
export const AWARENESS_MAX = 8

export function awareness(current: number, change: number): number {
  return Math.min(AWARENESS_MAX, Math.max(0, current + change))
}

/** What a failed probe says about the one who asked: helpers that did not even say no are lost on its side. */
export function doubt(helpersAsked: number, nacks: number): number {
  return helpersAsked === 0 ? 1 : helpersAsked - nacks
}
