// Real processes race for one guarded file, are killed with SIGKILL and stopped with SIGSTOP at any moment.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from '../../test/guards/bundle.ts'
import { endAll, type Running, run } from '../../test/support/processes.ts'
import { fileGuard } from './file.ts'

interface Write {
  readonly token: number
  readonly passed: boolean
  readonly start: number
  readonly end: number
}

const WRITERS = 3
const KILLS = 12
const STOPPED_MS = 1_500

/** What a writer said; the last line may be cut off by the kill. */
function writesOf(writer: Running): Write[] {
  const lines = writer.output().split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}

/** A write that was accepted although a larger one had been accepted before it began. */
function staleAccepted(writes: readonly Write[]): Write | undefined {
  const accepted = writes.filter(write => write.passed)
  return accepted.find(late => accepted.some(early => early.end < late.start && early.token > late.token))
}

describe('processes that race for one file', () => {
  let dir: string
  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it('are accepted in the order of their tokens, no matter who is killed or stopped', async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-race-'))
    const path = join(dir, 'file')
    const program = await bundle('test/guards/writer.ts')
    const start = () => run(process.execPath, [program, path])
    const writers = Array.from({ length: WRITERS }, start)
    const all = [...writers]
    const guard = fileGuard(path)
    let reads = 0
    let largest = -1n
    const look = async () => {
      const { token, data } = await guard.read()
      if (token === undefined) return
      expect(JSON.parse(data!.toString()).token, 'content and token are of one write').toBe(Number(token))
      expect(token >= largest, 'tokens grow').toBe(true)
      largest = token
      reads++
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const until = performance.now() + 150 + Math.random() * 150
      while (performance.now() < until) await look()
      const victim = kill % WRITERS
      if (kill === KILLS / 2) {
        const { child } = writers[victim]!
        child.kill('SIGSTOP')
        await sleep(STOPPED_MS)
        await look()
        child.kill('SIGCONT')
        continue
      }
      writers[victim]!.child.kill('SIGKILL')
      await writers[victim]!.ended
      await look()
      writers[victim] = start()
      all.push(writers[victim]!)
    }
    await sleep(1_500)
    await endAll()
    const writes = all.flatMap(writesOf)
    expect(all.map(writer => writer.errors()).join('')).toBe('')
    expect(staleAccepted(writes)).toBeUndefined()
    expect(writes.filter(write => write.passed).length).toBeGreaterThan(50)
    expect(writes.filter(write => !write.passed).length).toBeGreaterThan(10)
    expect(reads).toBeGreaterThan(50)
    await guard.write(largest + 1_000n, JSON.stringify({ token: Number(largest) + 1_000 }))
    await look()
  })

  it('would be found out: the check knows a stale write when it sees one', () => {
    const write = (token: number, start: number, passed = true) => ({ token, passed, start, end: start + 1 })
    expect(staleAccepted([write(5, 0), write(4, 10)])).toMatchObject({ token: 4 })
    expect(staleAccepted([write(5, 0), write(4, 10, false), write(5, 20)])).toBeUndefined()
  })
})
