// The thesis's protocols as programs of their own, by the command line: UCB-DS2 goes on though an arm is killed in the middle, SR-secured
// finds the best value; then a blind run that keeps a beat, and what each member says of it afterwards.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { playOpen, ucb1 } from '../../src/bandits/index.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, type Running, waitFor } from '../support/processes.ts'

const MEMBERS = 5
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const DONE_MS = 100_000

let dir = ''
let folders: readonly string[] = []
let visitor = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-thesis-'))
  const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  folders = (await initGroup({ dir: join(dir, 'shops'), basePort, members: MEMBERS })).memberFolders
  visitor = join(dir, 'visitor.sh')
  // Green sells to all, blue to nobody.
  await writeFile(visitor, '#!/bin/sh\nsleep 0.02\ncase $COTERIE_ARM in green) echo 1;; *) echo 0;; esac\n', {
    mode: 0o755,
  })
})
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

const member = (place: number) => folders[place - 1]!
const serveArm = (arm: string, place: number) =>
  coterie(['bandit', 'arm', 'page', arm, '--config', member(place), '--run', visitor, '--runs', '3'])

async function asked(args: readonly string[]): Promise<Running> {
  const asker = coterie(['bandit', ...args, '--config', member(1), '--timeout', '90s'])
  await Promise.race([asker.ended, new Promise(resolve => setTimeout(resolve, DONE_MS).unref())])
  return asker
}

it('two arms and two helpers', async () => {
  const helpers = [4, 5].map(place => coterie(['join', '--config', member(place)]))
  const [green, blue] = [serveArm('green', 2), serveArm('blue', 3)]
  for (const one of [green, blue])
    await waitFor('it serves', () => /serving/.test(one.errors() + one.output()), DONE_MS)
  for (const one of helpers) await waitFor('it is there', () => /joined/.test(one.errors() + one.output()), DONE_MS)

  const ring = [
    '--arms',
    'green,blue',
    '--budget',
    '12',
    '--privacy',
    'thesis',
    '--protocol',
    'ucb-ds2',
    '--shuffler',
    'member-4',
  ]
  const asking = asked(['maximise', 'page', ...ring])
  await waitFor('it is pulled', () => /asks for a run/.test(blue.errors() + blue.output()), DONE_MS)
  blue.child.kill('SIGKILL')
  await blue.ended
  const again = serveArm('blue', 3)
  const earned = await asking
  const { arms } = playOpen(ucb1, [() => 1, () => 0], 12)
  expect(earned.output(), earned.errors()).toContain(`the sum of all rewards is ${arms[0]!.pulls}\n`)
  expect(earned.output()).toContain("'member-4', the controller, sees who is pulled")

  const values = ['--values', 'red=13,green=17.5', '--epsilon', '2', '--drawers', 'member-2', '--budget', '20']
  const found = await asked([
    'best',
    'worth',
    '--privacy',
    'thesis',
    ...values,
    '--shuffler',
    'member-4',
    '--comparator',
    'member-5',
  ])
  expect(found.output(), found.errors()).toContain('the best arm is green')

  await waitFor('it serves', () => /serving/.test(again.errors() + again.output()), DONE_MS)
  const blind = [
    '--arms',
    'green,blue',
    '--budget',
    '6',
    '--pace',
    '100ms',
    '--shuffler',
    'member-4',
    '--comparator',
    'member-5',
  ]
  const best = await asked(['best', 'page', ...blind])
  expect(best.output(), best.errors()).toContain('the best arm is green')
  expect(best.output()).toContain('100 ms after its slot')

  const status = coterie(['bandit', 'status', 'page', '--config', member(4)])
  const none = coterie(['bandit', 'status', 'nothing', '--config', member(4), '--json'])
  expect([await status.ended, await none.ended]).toEqual([0, 1])
  expect(status.output()).toMatch(
    /^[0-9a-f]{8} {2}shuffler: over after 1 round \(successive-rejects, 6 pulls for member-1\)\n$/,
  )
  expect(none.output()).toBe('[]\n')
}, 240_000)
