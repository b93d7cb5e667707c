// A member that lies about events, over the real transport: the other trees deliver.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { startLyingMember } from '../lab/lying-node.ts'
import { join } from '../src/index.ts'
import { initGroup } from '../src/runtime/setup/group.ts'
import { freePorts, waitFor } from './support/processes.ts'

const dir = await mkdtemp(path(tmpdir(), 'coterie-lying-members-'))
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('a member that lies', () => {
  it('drops, denies what its side wants, and alters: the other trees deliver, without receipts', async () => {
    const basePort = (await freePorts(6)) - 200
    const group = await initGroup({
      dir: path(dir, 'lied'),
      members: 4,
      memberLiars: 1,
      basePort,
      servers: 1,
      crashes: 0,
    })
    const honest = await Promise.all(group.memberFolders.slice(0, 3).map(config => join({ config })))
    const liar = await startLyingMember(group.memberFolders[3]!)
    try {
      for (const lie of ['swallowing', 'wants-nothing', 'two-faced']) {
        liar.tell({ part: 'routing', lie, perSecond: 0 })
        const seen: string[] = []
        const feeds = honest.map(member =>
          member.events('news').subscribe({ lie }, event => seen.push(`${member.name} ${event.author}`)),
        )
        await Promise.all(feeds.map(feed => feed.ready))
        // A wish has reached everybody after a message over each link.
        await setTimeout(200)
        for (const member of honest) {
          await member.events('news').publish({ lie })
        }
        await waitFor('everybody has everything', () => seen.length === 9)
        expect(new Set(seen).size).toBe(9)
        await Promise.all(feeds.map(feed => feed.close()))
      }
    } finally {
      await Promise.all([liar.stop(), ...honest.map(member => member.close())])
    }
  }, 30_000)
})
