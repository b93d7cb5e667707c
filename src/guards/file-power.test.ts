// The file guard over a disk that forgets what was not synced: the power is cut at every operation of three writes. What
// was accepted stays accepted, the content is that of its token, and no stale token passes after the cut.

import { describe, expect, it, vi } from 'vitest'
import { CutDisk, simulatedFiles } from '../../test/guards/disk.ts'
import { seededRandom } from '../core/index.ts'
import { StaleToken } from './errors.ts'
import { fileGuard } from './file.ts'

const machine = vi.hoisted(() => ({ disk: undefined as unknown, now: 0 }))
vi.mock('node:fs/promises', async () => simulatedFiles(() => machine.disk as CutDisk))
// A turn that a dead writer left is waited for a second: not here.
vi.mock('node:timers/promises', () => ({
  setTimeout: async (millis: number) => {
    machine.now += millis
  },
}))
vi.spyOn(performance, 'now').mockImplementation(() => machine.now)

const PATH = '/stock.json'
const TOKENS = [1n, 2n, 3n]
const contentOf = (token: bigint) => `written with ${token}, ${'x'.repeat(200)}`

/** Writes until the power is cut. The tokens that were accepted, as far as the writer was told. */
async function live(disk: CutDisk): Promise<bigint[]> {
  machine.disk = disk
  const accepted: bigint[] = []
  const life = async () => {
    const guard = fileGuard(PATH)
    for (const token of TOKENS) {
      await guard.write(token, contentOf(token))
      accepted.push(token)
    }
  }
  await Promise.race([life(), disk.cut])
  return accepted
}

async function demand(disk: CutDisk, accepted: readonly bigint[], story: string): Promise<void> {
  machine.disk = disk
  const guard = fileGuard(PATH)
  const { token, data } = await guard.read()
  const last = accepted.at(-1) ?? 0n
  expect(token ?? 0n, story).toBeGreaterThanOrEqual(last)
  if (token !== undefined) expect(data?.toString(), story).toBe(contentOf(token))
  for (const stale of TOKENS.filter(one => one < last)) {
    await expect(guard.write(stale, 'stale'), story).rejects.toBeInstanceOf(StaleToken)
  }
  await guard.write(9n, contentOf(9n))
  expect((await guard.read()).data?.toString(), story).toBe(contentOf(9n))
}

describe('a power cut', () => {
  it('at any operation takes nothing back that was accepted', async () => {
    const whole = new CutDisk()
    expect(await live(whole)).toEqual(TOKENS)
    expect(whole.operations).toBeGreaterThan(50)
    let torn = 0
    for (let cutAt = 1; cutAt <= whole.operations + 1; cutAt++) {
      for (let seed = 1; seed <= 12; seed++) {
        const disk = new CutDisk(cutAt)
        const accepted = await live(disk)
        if (accepted.length < TOKENS.length) torn++
        await demand(disk.afterCut(seededRandom(100 * cutAt + seed)), accepted, `cut at ${cutAt}, seed ${seed}`)
      }
    }
    expect(torn).toBeGreaterThan(500)
  })
  it('right after a write was accepted does not take it back', async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const disk = new CutDisk()
      const accepted = await live(disk)
      await demand(disk.afterCut(seededRandom(seed)), accepted, `seed ${seed}`)
    }
  })
})
