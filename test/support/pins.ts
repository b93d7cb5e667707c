// The seeds that show the planted bugs of a protocol, as `npm run pin` wrote them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type PlantedRun, runOnce, shows } from '../../src/simulator/index.ts'
import { isLong } from './long.ts'

/** By the name of the bug. */
export function readPins(...folder: string[]): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(join(...folder, 'pins.json'), 'utf8')) as Record<string, number>
}

/** Whether the seed shows the bug. That it is clean without it, `npm run pin` has seen, and the long run sees again. */
export function showsBug(run: PlantedRun, seed: number): boolean {
  if (isLong) return shows(run, seed)
  return runOnce(run.scenario(), seed).violations.some(({ what }) => run.says.test(what))
}
