// The seeds that show the planted bugs of a protocol, as `npm run pin` wrote them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export { shows } from '../../src/simulator/index.ts'

/** By the name of the bug. */
export function readPins(...folder: string[]): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(join(...folder, 'pins.json'), 'utf8')) as Record<string, number>
}
