// Logs of runs on a member's disk: whose they are, how much they take, and that they are read again.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOG_BYTES_OF_USER_MAX } from '../../bandits/member/state.ts'
import { RunFiles, readRunLog, runLogs } from './run-files.ts'
import { MemberRuns } from './runs.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coterie-runs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FILE_BYTES = 65_536
const entry = { kind: 'paid', number: 1, steps: 2 } as const
const line = (user: string, place: number, name = 'night') =>
  ({ kind: 'log', id: `${place}`.padStart(32, '0'), name, user, number: 1, entry }) as const

describe('logs of runs', () => {
  it('are charged to the user that asked for the run, each with a file at least, also after a restart', () => {
    const files = new RunFiles(folder)
    expect([...files.taken()]).toEqual([])
    for (let place = 0; place < 3; place++) files.write(line('eve', place))
    files.write(line('ann', 7))
    const taken = new RunFiles(folder).taken()
    expect([...taken.keys()].sort()).toEqual(['ann', 'eve'])
    expect(taken.get('eve')! - 3 * FILE_BYTES).toBeGreaterThan(100)
    expect(taken.get('eve')!).toBeLessThan(3 * FILE_BYTES + 1_000)
  })
  it('are told to the machine before anything else, and what was removed is not', () => {
    const told: object[] = []
    new MemberRuns(command => told.push(command), folder)
    expect(told).toEqual([
      { kind: 'logs', user: 'eve', bytes: expect.any(Number) },
      { kind: 'logs', user: 'ann', bytes: expect.any(Number) },
    ])
    for (const name of readdirSync(join(folder, 'runs'))) {
      if (name.includes('0000')) rmSync(join(folder, 'runs', name))
    }
    expect([...new RunFiles(folder).taken()]).toEqual([])
  })
  it('are read as they were written', () => {
    const files = new RunFiles(folder)
    files.write(line('eve', 1))
    files.write({ ...line('eve', 1), number: 2 })
    const [log] = runLogs(folder, 'night')
    expect(readRunLog(log!).map(({ number }) => number)).toEqual([1, 2])
  })
  it('of any number of names are written, and only the newest names are remembered', () => {
    const files = new RunFiles(folder)
    for (let place = 0; place < 300; place++) files.write(line('eve', place, `n${place}`))
    expect((files as unknown as { names: Map<string, string> }).names.size).toBe(256)
    files.write({ ...line('eve', 0, 'n0'), number: 2 })
    expect(readRunLog(runLogs(folder, 'n0')[0]!)).toHaveLength(2)
    expect(LOG_BYTES_OF_USER_MAX / FILE_BYTES).toBe(16_384)
  })
})
