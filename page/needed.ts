// How many yes let a client in: the number that the table of answers is read against.

import { lockGrants } from '../src/core/index.ts'
import type { RunName } from '../src/simulator/index.ts'

/** Of the locks; other protocols have no such number. */
export function yesNeeded({ name, liars = 1, crashes = liars }: RunName, servers: number): number | undefined {
  if (name === 'lock-printed') return servers - crashes - liars
  if (name === 'lock') return lockGrants(servers, liars)
  if (name === 'redlock') return Math.floor(servers / 2) + 1
  return undefined
}
