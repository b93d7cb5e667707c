// The course of a search at the level of the thesis: its parties are drawers, and there is one arm more than there are of them.

import { type Schedule, scheduleOf } from '../schedule.ts'
import type { BanditRun } from '../settings.ts'
import { armsOf } from './common.ts'

/** What everybody knows of it beforehand. */
export function searchCourse(run: BanditRun): Schedule {
  return scheduleOf({ algorithm: 'successive-rejects', arms: { length: armsOf(run) }, budget: run.budget, batch: 0 })
}

/** What the places of arms in a phase are signed for. */
export const ORDER = 'order of a phase'
/** What the best arm is signed for. */
export const BEST = 'best of a search'
