// protocols/slots 9, with real processes over mutual TLS: a member gives false shares. The others name it, leave it out, and
// are served; and what they wrote convinces a third party that has the file and the group's config, and nothing else.

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, type Running, root, run, waitFor } from '../support/processes.ts'

const MEMBERS = 4
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const LEASE_MS = 2_000
const SLOTS = 'oak,elm'
const CHEAT = `member-${MEMBERS}`
/** A round, an epoch and a lease; the machine may be busy. */
const SERVED_MS = 90_000

let dir = ''
let group: NewGroup
let honest: Running[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-cheat-'))
  const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  group = await initGroup({ dir: join(dir, 'group'), basePort, members: MEMBERS })
  const cheat = group.memberFolders.at(-1)!
  run(process.execPath, [
    join(root, 'test/e2e/lying-member.mjs'),
    cheat,
    'desks',
    SLOTS,
    String(LEASE_MS),
    'false-share',
  ])
  const line = ['--slots', SLOTS, '--lease', `${LEASE_MS}ms`, '--liars', '1']
  honest = group.memberFolders.slice(0, -1).map(folder => {
    const ask = ['slots', 'desks', 'request', '--repeat', '--config', folder, '--evidence', folder, ...line]
    return coterie([...ask, '--', process.execPath, '-e', 'console.log("served")'])
  })
})

afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

it(
  'the others name it, and are served without it',
  async () => {
    const isServed = ({ output }: Running) => output().includes('served')
    // It may be named for its silence before.
    const names = ({ errors }: Running) => errors().includes(`${CHEAT} gave a false share`)
    await waitFor(
      'the others are served, and name it',
      () => honest.every(one => isServed(one) && names(one)),
      SERVED_MS,
    )
  },
  2 * SERVED_MS,
)

it('the evidence convinces anybody who knows the group, and means nothing to another one', async () => {
  const verify = async (config: string) => {
    const evidence = join(group.memberFolders[0]!, `desks-${CHEAT}.evidence`)
    await waitFor('the evidence is written', () => existsSync(evidence))
    const judged = coterie(['slots', 'verify', evidence, '--json', '--config', config])
    return { exit: await judged.ended, ...JSON.parse(judged.output()) }
  }
  expect(await verify(group.clientFolders[0]!)).toMatchObject({ exit: 0, holds: true, member: CHEAT, slots: 'desks' })
  // Members of the same names, and other keys.
  const stranger = await initGroup({ dir: join(dir, 'stranger'), members: MEMBERS })
  expect(await verify(stranger.clientFolders[0]!)).toMatchObject({ exit: 1, holds: false, member: CHEAT })
})
