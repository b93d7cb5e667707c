// A node that ends, by an error of its store or a bug, in a process of its own: whoever waits is told why, and the process comes to
// its end although nobody closes anything.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { endAll, freePorts, root, run, serve } from '../support/processes.ts'

describe('a process whose node has ended', () => {
  let dir: string
  let group: NewGroup

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-ended-'))
    const shape = { servers: 1, liars: 0, crashes: 0, members: 1, basePort: await freePorts(2) }
    group = await initGroup({ dir: join(dir, 'group'), ...shape })
    await serve(group.serverFolders[0]!)
  })

  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it.each([
    ['client', () => group.clientFolders[0]!, /^LeaseLost: .*this node ended: the disk failed/m],
    ['member', () => group.memberFolders[0]!, /this member ended:/],
  ] as const)('a %s: says why, and exits by itself', async (kind, folder, why) => {
    const program = run(process.execPath, [join(root, 'test/e2e/ended-node.mjs'), kind, folder()])
    // Without an end, this test has none either: the runner's limit is the judge.
    expect(await program.ended, program.errors()).toBe(0)
    expect(program.output()).toMatch(why)
  })
})
