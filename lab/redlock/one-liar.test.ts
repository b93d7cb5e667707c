// One lying server and a partition (issue: the lock that never lies to its holder), at small scale.

import { describe, expect, it, vi } from 'vitest'
import { missing } from '../debian.ts'
import { readCommand } from './lying-redis.ts'
import { oneLiar } from './one-liar.ts'

describe('one liar and a partition', () => {
  it('gives redlock two holders, and ours one', async context => {
    const { rows, notes } = await oneLiar.run({ scale: 'small', seed: 1, progress: () => {} })
    if (rows.length === 0) return context.skip(notes[0])
    const measured = Object.fromEntries(rows.map(({ what, measured }) => [what, measured]))
    expect(measured['redlock, 5 Redis, one lies: holders at once']).toBe(1)
    expect(measured['redlock: time with two holders']).toBeGreaterThan(0)
    expect(measured['coterie: time with two holders']).toBe(0)
    expect(measured['coterie: time with one holder']).toBeGreaterThan(0)
  })
})

describe('a machine without Redis', () => {
  it('is told what to install, and nothing is installed', async () => {
    vi.stubEnv('PATH', '')
    try {
      expect(missing('redis-server', 'redis-server')).toMatch(
        /^redis-server is not there\. Install it .*apt-get install/,
      )
      const { rows, notes } = await oneLiar.run({ scale: 'small', seed: 1, progress: () => {} })
      expect(rows).toEqual([])
      expect(notes[0]).toMatch(/^Not run: redis-server is not there/)
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('the lying Redis', () => {
  const command = '*3\r\n$4\r\nEVAL\r\n$2\r\nhi\r\n$1\r\n1\r\n'

  it('reads a command, and leaves what comes after', () => {
    const read = readCommand(`${command}*1\r\n`)
    expect(read).toEqual({ words: ['EVAL', 'hi', '1'], length: command.length })
  })

  it('waits for the rest of every cut command', () => {
    for (let cut = 0; cut < command.length; cut++) expect(readCommand(command.slice(0, cut))).toBeUndefined()
  })

  it('reads nothing out of what is no command', () => {
    expect(readCommand('GET / HTTP/1.1\r\n')).toBeUndefined()
    expect(readCommand('*2\r\n:1\r\n:2\r\n')).toBeUndefined()
  })
})
