// The doctor asks the running group: what a client has spoiled, and the command that mends it.

import { describe, expect, it } from 'vitest'
import type { GroupStatus } from '../client/group.ts'
import { askingFolder, liveFindings } from './live.ts'

const sound = { servers: [{ server: 'server-1', state: 'ready' }], spoiled: [] } as unknown as GroupStatus

describe('a running group', () => {
  it('is fine where nothing is spoiled', () => expect(liveFindings(sound)).toEqual([]))
  it('has tokens far ahead of the clock, and the command is named', () => {
    const servers = [{ server: 'server-2', state: 'ready', tokensAheadMs: 3_600_000 }]
    const [finding, ...others] = liveFindings({ ...sound, servers } as unknown as GroupStatus)
    expect(others).toEqual([])
    expect(finding).toMatchObject({ level: 'problem', where: 'server-2' })
    expect(finding?.advice).toContain('coterie unlock --reset-floor')
  })
  it('has a clock that is wrong: that comes first', () => {
    const servers = [{ server: 'server-2', state: 'ready', tokensAheadMs: 3_600_000, clockOffMs: -3_600_000 }]
    const [finding] = liveFindings({ ...sound, servers } as unknown as GroupStatus)
    expect(finding?.advice).toContain('Set its clock first')
  })
  it('has an object that stands still, and the command is named', () => {
    const spoiled = [{ object: 'stock', why: 'it is at a version that no server has' }]
    const [finding] = liveFindings({ ...sound, spoiled })
    expect(finding).toMatchObject({ level: 'problem', where: 'group' })
    expect(finding?.advice).toContain('coterie object repair stock')
  })
  it('is asked by a client of it, or not at all', () => expect(askingFolder('/nowhere')).toBeUndefined())
})
