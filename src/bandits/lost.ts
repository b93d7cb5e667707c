// Arms that are lost: a bit for each place. The others may go on without them, where the run says so, as long as there are two of them
// and no fewer than half of those that began: a shuffler that drops whom it likes would otherwise leave two arms that learn everything
// about each other.

import type { BanditRun } from './settings.ts'

/** The places of the arms that are there. */
export function live(arms: number, lost: number): number[] {
  const all = Array.from({ length: arms }, (_, place) => place)
  return lost === 0 ? all : all.filter(place => !isLost(lost, place))
}

/** How many are there. */
export function liveCount(arms: number, lost: number): number {
  return lost === 0 ? arms : live(arms, lost).length
}

export function isLost(lost: number, place: number): boolean {
  return Math.floor(lost / 2 ** place) % 2 === 1
}

export function withLost(lost: number, place: number): number {
  return isLost(lost, place) ? lost : lost + 2 ** place
}

/** Whether a run may go on with these lost, after those. Who is lost stays lost. */
export function mayLose({ arms, drops = false }: BanditRun, before: number, lost: number): boolean {
  if (lost === before) return true
  const left = liveCount(arms.length, lost)
  const grows = arms.every((_, place) => !isLost(before, place) || isLost(lost, place))
  return drops && grows && left >= 2 && 2 * left >= arms.length && lost < 2 ** arms.length
}
