// The example of a private experiment, as five programs: an owner and a helper are killed in the middle, and the answer is the same.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { bundle } from '../guards/bundle.ts'
import { endAll, freePorts, type Running, run, waitFor } from '../support/processes.ts'

const MEMBERS = 5
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const DONE_MS = 60_000
const ROLES = [['red', '0.2'], ['green', '0.9'], ['blue', '0.4'], [], []]

let dir = ''
let program = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-experiment-'))
  program = await bundle('examples/private-experiment.ts')
})
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

async function newShops(name: string): Promise<NewGroup> {
  const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  return initGroup({ dir: join(dir, name), basePort, members: MEMBERS })
}

const start = ({ memberFolders }: NewGroup, place: number, more: readonly string[] = []) =>
  run(process.execPath, [program, memberFolders[place]!, ...ROLES[place]!, ...more])
const kill = async ({ child, ended }: Running) => {
  child.kill('SIGKILL')
  await ended
}

it('three owners and two helpers: the best page, though an owner and the comparator are killed in the middle', async () => {
  const shops = await newShops('killed')
  const others = [1, 2, 3, 4].map(place => start(shops, place))
  const asker = start(shops, 0, ['ask'])
  await waitFor('the run is under way', () => others[0]!.output().includes('the first visitor'), DONE_MS)
  await kill(others[0]!)
  await kill(others[3]!)
  start(shops, 1)
  start(shops, 4)
  await waitFor('there is an answer', () => /the best page is|Error|Ended|Refused/.test(asker.output()), DONE_MS)
  expect(asker.output()).toContain('the best page is green')
  expect(asker.errors()).toBe('')
}, 120_000)
