// The simulated disk, and a machine on it that writes its state bit by bit (protocols/process-model): no crash, at whatever moment,
// loses what was promised, and the log does not grow for ever.

import { describe, expect, it } from 'vitest'
import { type LedgerRules, ledger } from '../../test/support/ledger.ts'
import { type Saved, seededRandom, text } from '../core/index.ts'
import { Disk } from './disk.ts'
import { calm } from './network.ts'
import { World } from './world.ts'

const record = (byte: number) => Uint8Array.of(byte)
const bytes = (saved: Saved) => (saved.get('') ?? []).map(one => one[0])
const never = () => {
  throw new Error('promised after the crash')
}

/** Everything that crashes of many seeds leave of the same writes. */
function leftovers(story: (disk: Disk) => void, found: readonly number[] = []): Set<string> {
  const left = new Set<string>()
  for (let seed = 0; seed < 200; seed++) {
    const disk = new Disk(new Map([['', found.map(record)]]), seededRandom(seed))
    story(disk)
    disk.crash()
    left.add(bytes(disk.read()).join())
  }
  return left
}

describe('lazy records', () => {
  it('a crash loses any number of them, from the end', () => {
    const left = leftovers(disk => {
      for (let i = 1; i <= 3; i++) disk.writeLazily({ lane: '', record: record(i), kind: 'append' })
    })
    expect(left).toEqual(new Set(['', '1', '1,2', '1,2,3']))
  })

  it('none in front of a record that is durable', () => {
    const left = leftovers(disk => {
      disk.writeLazily({ lane: '', record: record(1), kind: 'append' })
      disk.write({ lane: '', record: record(2), kind: 'append' }, 0, 0, () => {})
      disk.writeLazily({ lane: '', record: record(3), kind: 'append' })
      disk.finish()
    })
    expect(left).toEqual(new Set(['1,2', '1,2,3']))
  })

  it('nor any at a clean stop', () => {
    const disk = new Disk(undefined, seededRandom(1))
    disk.writeLazily({ lane: '', record: record(1), kind: 'append' })
    disk.stop()
    expect(bytes(disk.read())).toEqual([1])
  })
})

describe('an account', () => {
  const begun = (disk: Disk) => {
    disk.write({ lane: '', record: record(1), kind: 'begin' }, 0, 0, () => {})
    disk.finish()
  }

  it('that was begun drops nothing', () => {
    expect(leftovers(begun, [8, 9])).toEqual(new Set(['8,9,1']))
  })

  it('that is whole drops what was before it, or a crash has been quicker', () => {
    const left = leftovers(
      disk => {
        begun(disk)
        disk.forget('')
        disk.write({ lane: '', record: record(2), kind: 'append' }, 0, 10, never)
      },
      [8, 9],
    )
    expect(left).toEqual(new Set(['8,9,1', '1', '1,2']))
  })

  it('is whole when a later record is durable', () => {
    const left = leftovers(
      disk => {
        begun(disk)
        disk.forget('')
        disk.write({ lane: '', record: record(2), kind: 'append' }, 0, 0, () => {})
        disk.finish()
      },
      [8, 9],
    )
    expect(left).toEqual(new Set(['1,2']))
  })

  it.each(['crash', 'stop'] as const)('that was begun before a %s is not whole after it', end => {
    const disk = new Disk(new Map([['', [record(9)]]]), seededRandom(1))
    begun(disk)
    disk[end]()
    disk.forget('')
    disk.stop()
    expect(bytes(disk.read())).toEqual([9, 1])
  })
})

const KEYS = 20
const PAGE = 3
const SEEDS = 60
const COMMANDS = 300
/** Far below the number of commands, far above one account: a crash may cut several short, one after the other. */
const RECORDS_MAX = COMMANDS / 4

interface Told {
  /** Counters that went back behind what was promised. */
  lost: number
  crashes: number
  recordsMax: number
}

function live(rules: LedgerRules, seed: number): Told {
  const random = seededRandom(seed)
  const world = new World({ seed, network: calm })
  const promised = new Map<number, number>()
  const told: Told = { lost: 0, crashes: 0, recordsMax: 0 }
  const node = world.add({ id: 'a', protocol: ledger(rules), peers: [], vocabulary: text(1), diskMax: 400 })
  world.listen((_node, event) => promised.set(...(event as [number, number])))
  world.start('a')
  for (let i = 0; i < COMMANDS; i++) {
    world.command('a', { key: random.below(KEYS), lazy: random.below(4) === 0 })
    world.run(world.now + random.below(600))
    told.recordsMax = Math.max(told.recordsMax, node.disk.read().get('')?.length ?? 0)
    if (random.below(20) > 0) continue
    told.crashes++
    if (random.below(3) === 0) world.stop('a')
    else world.crash('a')
    world.start('a')
    const { table } = node.host!.state
    for (const [key, value] of promised) if ((table.get(key) ?? 0) < value) told.lost++
  }
  return told
}

function campaign(rules: LedgerRules): Told {
  const all = Array.from({ length: SEEDS }, (_, seed) => live(rules, seed + 1))
  return {
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    crashes: all.reduce((sum, { crashes }) => sum + crashes, 0),
    recordsMax: Math.max(...all.map(({ recordsMax }) => recordsMax)),
  }
}

describe('a machine that accounts for its state bit by bit', () => {
  it('loses nothing that it promised, and its log stays short', () => {
    const told = campaign({ page: PAGE })
    expect(told.lost).toBe(0)
    expect(told.crashes).toBeGreaterThan(SEEDS)
    expect(told.recordsMax).toBeGreaterThan(KEYS / PAGE)
    expect(told.recordsMax).toBeLessThan(RECORDS_MAX)
  })

  it('even if it takes the account of an earlier life for its own: then the disk does not', () => {
    expect(campaign({ page: PAGE, resumes: true }).lost).toBe(0)
  })

  it('planted: declared whole when entries are missing, it loses some', () => {
    expect(campaign({ page: PAGE, hurry: 2 }).lost).toBeGreaterThan(0)
  })
})
