// The simulated world's own parts: if these err, every finding is worthless.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../core/index.ts'
import { runOnce } from './campaign.ts'
import { diagram } from './diagram.ts'
import { Disk } from './disk.ts'
import { ExclusionChecker, ProgressChecker } from './exclusion.ts'
import { calm, Network } from './network.ts'
import { EventQueue, type Timed } from './queue.ts'
import type { AnyScenario, Plan, Violation } from './scenario.ts'
import { promiseOf, reduceItems, shrink } from './shrink.ts'
import { type TraceEntry, TraceHash, traceLine } from './trace.ts'

describe('the queue', () => {
  it('gives events by time, then by order of entry, like a stable sort', () => {
    const act = fc.oneof(fc.nat(20), fc.constant('pop' as const))
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), acts => {
        const queue = new EventQueue<Timed>()
        let twin: Timed[] = []
        for (const one of acts) {
          if (one === 'pop') {
            expect(queue.peek()).toBe(twin[0])
            expect(queue.pop()).toBe(twin.shift())
          } else {
            const event = { time: one, order: 0 }
            queue.push(event)
            twin = [...twin, event].sort((a, b) => a.time - b.time)
          }
          expect(queue.size).toBe(twin.length)
        }
      }),
    )
  })
})

function arrivals(network: Network, sends: readonly number[], from = 0, to = 1): number[] {
  const out: number[] = []
  for (const now of sends) network.route(from, to, now, at => out.push(at))
  return out
}
const times = Array.from({ length: 200 }, (_, i) => i * 100)

describe('the network', () => {
  it('calm, brings everything once and in order', () => {
    const arrived = arrivals(new Network(seededRandom(1), calm), times)
    expect(arrived.length).toBe(200)
    expect(arrived).toEqual([...arrived].sort((a, b) => a - b))
    for (const [i, at] of arrived.entries()) expect(at).toBeGreaterThanOrEqual(times[i]! + calm.delayMin)
  })
  it('keeps the order of a link where it should, also over slow spells, and not where it should not', () => {
    const faults = { ...calm, delaySpread: 50_000, tailChance: 0.1, tailMax: 500_000 }
    const ordered = new Network(seededRandom(1), faults)
    const before = arrivals(ordered, times.slice(0, 100))
    ordered.slow.set(1, 20)
    const during = arrivals(ordered, times.slice(100, 150))
    ordered.slow.delete(1)
    const all = [...before, ...during, ...arrivals(ordered, times.slice(150))]
    expect(all).toEqual([...all].sort((a, b) => a - b))
    const loose = arrivals(new Network(seededRandom(1), { ...faults, inOrder: false }), times)
    expect(loose).not.toEqual([...loose].sort((a, b) => a - b))
  })
  it('loses and repeats about as often as it is told', () => {
    const sends = new Array<number>(5_000).fill(0)
    expect(arrivals(new Network(seededRandom(2), { ...calm, loss: 0.2 }), sends).length / 5_000).toBeCloseTo(0.8, 1)
    expect(arrivals(new Network(seededRandom(2), { ...calm, duplication: 0.2 }), sends).length / 5_000).toBeCloseTo(
      1.2,
      1,
    )
  })
  it('a link that two partitions cut is whole when both have ended', () => {
    const network = new Network(seededRandom(1), calm)
    network.cut(0, 1)
    network.cut(0, 1)
    network.mend(0, 1)
    expect(arrivals(network, [0])).toEqual([])
    expect(arrivals(network, [0], 1, 0).length, 'one way only').toBe(1)
    network.mend(0, 1)
    expect(arrivals(network, [0]).length).toBe(1)
    network.mend(0, 1)
    network.cut(0, 1)
    expect(arrivals(network, [0]), 'one mend too many does not count against the next cut').toEqual([])
    network.heal()
    expect(arrivals(network, [0]).length).toBe(1)
  })
  // Shrinking leaves out acts and faults: then links are first used in another order, and must behave as before.
  it('a link does not change because another was used before it', () => {
    const faults = { ...calm, loss: 0.3, delaySpread: 9_000, inOrder: false }
    const alone = arrivals(new Network(seededRandom(1), faults), times, 2, 3)
    const busy = new Network(seededRandom(1), faults)
    arrivals(busy, times, 0, 1)
    arrivals(busy, times, 1, 0)
    expect(arrivals(busy, times, 2, 3)).toEqual(alone)
  })
})

describe('the disk', () => {
  const record = (byte: number) => Uint8Array.of(byte)
  it('makes records durable in order, and says so', () => {
    const disk = new Disk(undefined, seededRandom(1))
    const said: number[] = []
    let last = 0
    for (let i = 0; i < 5; i++) {
      const at = disk.write({ lane: '', record: record(i), kind: 'append' }, 100, 50, () => said.push(i))
      expect(at).toBeGreaterThanOrEqual(last)
      last = at
    }
    expect(disk.read().get('')).toBeUndefined()
    disk.finish()
    disk.finish()
    expect(said).toEqual([0, 1])
    expect(disk.read().get('')).toEqual([record(0), record(1)])
  })
  it('a crash keeps what was durable and any prefix of the rest', () => {
    const kept = new Set<number>()
    for (let seed = 0; seed < 60; seed++) {
      const disk = new Disk(new Map([['', [record(9)]]]), seededRandom(seed))
      for (let i = 0; i < 3; i++) {
        disk.write({ lane: '', record: record(i), kind: 'append' }, 0, 10, () => {
          throw new Error('promised after the crash')
        })
      }
      disk.crash()
      const records = disk
        .read()
        .get('')!
        .map(one => one[0])
      expect([9, 0, 1, 2].slice(0, records.length)).toEqual(records)
      kept.add(records.length)
      disk.finish()
    }
    expect(kept).toEqual(new Set([1, 2, 3, 4]))
  })
  it('a snapshot replaces its lane and no other', () => {
    const disk = new Disk(undefined, seededRandom(1))
    for (const lane of ['a', 'b']) disk.write({ lane, record: record(1), kind: 'append' }, 0, 0, () => {})
    disk.write({ lane: 'a', record: record(2), kind: 'replace' }, 0, 0, () => {})
    for (let i = 0; i < 3; i++) disk.finish()
    expect(disk.read()).toEqual(
      new Map([
        ['a', [record(2)]],
        ['b', [record(1)]],
      ]),
    )
  })
})

describe('the exclusion checker', () => {
  const watch = (story: (checker: ExclusionChecker) => void) => {
    const checker = new ExclusionChecker()
    story(checker)
    return checker.violations().map(({ what }) => what)
  }
  it.each<[string, (checker: ExclusionChecker) => void]>([
    [
      'one after the other',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.acquired('a', 'bob', 2, 10, 20)
      },
    ],
    [
      'after a release',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.released('a', 'ann', 4)
        c.acquired('a', 'bob', 2, 4, 20)
      },
    ],
    [
      'after the holder is gone',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.gone('ann', 3)
        c.acquired('a', 'bob', 2, 3, 20)
      },
    ],
    [
      'two things',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.acquired('b', 'bob', 1, 0, 20)
      },
    ],
    [
      'an extension in time',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.extended('a', 'ann', 9, 20)
      },
    ],
    [
      'told in time',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.told('a', 'ann', 10)
      },
    ],
    [
      'too late, but not by its fault',
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.released('a', 'ann', 12)
      },
    ],
    [
      'the end of somebody who no longer holds',
      c => {
        c.acquired('a', 'ann', 1, 0, 5)
        c.acquired('a', 'bob', 2, 5, 9)
        c.told('a', 'ann', 7)
      },
    ],
  ])('accepts %s', (_what, story) => expect(watch(story)).toEqual([]))
  it.each<[string, RegExp, (checker: ExclusionChecker) => void]>([
    [
      'two holders',
      /held by bob .* and ann/,
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.acquired('a', 'bob', 2, 9, 20)
      },
    ],
    [
      'two holders after an extension',
      /held by bob/,
      c => {
        c.acquired('a', 'ann', 1, 0, 10)
        c.extended('a', 'ann', 5, 15)
        c.acquired('a', 'bob', 2, 12, 20)
      },
    ],
    [
      'a token that goes back',
      /token 1 of bob after token 2/,
      c => {
        c.acquired('a', 'ann', 2, 0, 5)
        c.acquired('a', 'bob', 1, 5, 9)
      },
    ],
    [
      'a token twice',
      /token 2 of bob after token 2/,
      c => {
        c.acquired('a', 'ann', 2, 0, 5)
        c.acquired('a', 'bob', 2, 5, 9)
      },
    ],
    [
      'an extension after another came',
      /bob came after/,
      c => {
        c.acquired('a', 'ann', 1, 0, 5)
        c.acquired('a', 'bob', 2, 5, 9)
        c.extended('a', 'ann', 6, 9)
      },
    ],
    ['an extension of nothing', /nobody came after/, c => c.extended('a', 'ann', 6, 9)],
    [
      'an extension too late',
      /after it ran out/,
      c => {
        c.acquired('a', 'ann', 1, 0, 5)
        c.extended('a', 'ann', 5, 9)
      },
    ],
    [
      'being told too late',
      /told too late/,
      c => {
        c.acquired('a', 'ann', 1, 0, 5)
        c.told('a', 'ann', 6)
      },
    ],
  ])('refuses %s', (_what, sentence, story) => {
    const found = watch(story)
    expect(found.length).toBe(1)
    expect(found[0]).toMatch(sentence)
  })
})

describe('the progress checker', () => {
  it('names those who were not served', () => {
    const checker = new ProgressChecker()
    checker.demand('ann', 1_000_000)
    checker.demand('bob', 1_000_000)
    checker.served('ann')
    expect(checker.violations()).toEqual([])
    checker.finish(4_000_000)
    expect(checker.violations().map(({ what }) => what)).toEqual([
      'bob was not served within 3 s although everything is healed',
    ])
  })
})

describe('shrinking', () => {
  const needs = (needed: readonly number[]) => (keep: readonly number[]) => needed.every(item => keep.includes(item))
  it('finds exactly what is needed, where leaving out more never helps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.infiniteStream(fc.nat()), (length, stream) => {
        const items = Array.from({ length }, (_, i) => i)
        const needed = items.filter(() => (stream.next().value as number) % 5 === 0)
        expect(reduceItems(items, needs(needed))).toEqual(needed)
      }),
    )
  })
  it('and otherwise something that fails, of which no item can be left out', () => {
    const fails = (keep: readonly number[]) => keep.length % 3 === 2 || keep.includes(7)
    const found = reduceItems(
      Array.from({ length: 20 }, (_, i) => i),
      fails,
    )
    expect(fails(found)).toBe(true)
    for (const item of found) expect(fails(found.filter(other => other !== item))).toBe(false)
  })
  it('keeps all, or nothing, where that is right', () => {
    const items = [0, 1, 2, 3, 4]
    expect(reduceItems(items, keep => keep.length === 5)).toEqual(items)
    expect(reduceItems(items, () => true)).toEqual([])
    expect(reduceItems([], () => true)).toEqual([])
  })

  it.each([
    ['a machine that throws', 'throws'],
    ['another promise', 'member-9 was handed event 3 twice'],
  ])('holds on to the promise that was broken: %s is another story', (_, other) => {
    const scenario = breaking(happened => {
      if (happened.has(3) && happened.has(5)) return `event ${happened.size} of member-${happened.size} was lost`
      return happened.has(3) ? other : undefined
    })
    const { kept, violations } = shrink(scenario, runOnce(scenario, 1))
    expect(kept.only).toEqual([3, 5])
    expect(violations.map(({ what }) => what)).toEqual(['event 2 of member-2 was lost'])
  })
  it('a promise is its sentence without numbers and names', () => {
    expect(promiseOf("event 4 of member-1 did not reach 'the end', which wanted it")).toBe(
      promiseOf("event 31 of member-22 did not reach 'lock-1', which wanted it"),
    )
    expect(promiseOf('two lists: a-1, a-2 and a-3')).toBe(promiseOf('two lists: a-1 and a-2, a-3'))
    expect(promiseOf('member-1 was handed event 4 twice')).not.toBe(promiseOf('member-1 was handed event 4'))
    expect(promiseOf('a machine threw: 1 is no name')).not.toBe(promiseOf('member-1 is no name'))
  })
})

/** Ten acts that do nothing. At the end, what of them has happened is broken in one way or another, or not at all. */
function breaking(said: (happened: ReadonlySet<number>) => string | undefined): AnyScenario {
  const acts = Array.from({ length: 10 }, (_, number) => ({ number, at: number + 1 }))
  return {
    name: 'breaking',
    plan: () => ({ network: calm, faults: [], acts, healsAt: 20, ends: 30, drawn: {} }),
    stage(world, plan: Plan<{ number: number }>) {
      const violations: Violation[] = []
      const happened = new Set(plan.acts.map(({ number }) => number))
      const end = () => {
        const what = said(happened)
        if (what === 'throws') throw new Error('there is nothing')
        if (what !== undefined) violations.push({ what, at: world.now })
      }
      return { checkers: [{ name: 'said', violations: () => violations }], healed: () => world.at(25, end) }
    },
  }
}

describe('traces', () => {
  it('the hash depends on every number and on their order', () => {
    const hash = (...numbers: number[]) => {
      const made = new TraceHash()
      for (const number of numbers) made.number(number)
      return made.hex()
    }
    expect(hash(1, 2)).toMatch(/^[0-9a-f]{16}$/)
    const all = [hash(), hash(0), hash(1, 2), hash(2, 1), hash(1), hash(0, 0), hash(1, 2, 0)]
    expect(new Set(all).size).toBe(all.length)
    const seen = new Set<string>()
    for (let i = 0; i < 20_000; i++) seen.add(hash(i, 7))
    expect(seen.size).toBe(20_000)
  })
  it('a line is short and says who and what', () => {
    const entry: TraceEntry = {
      at: 1_500,
      kind: 'deliver',
      node: 'bob',
      from: 'ann',
      sentAt: 1_000,
      what: 'try name=a',
    }
    expect(traceLine(entry)).toBe('      1.500 ms  bob        deliver  ← ann  try name=a')
  })

  /** Tags that open are closed, in order, and every number is one. */
  function wellFormed(svg: string): boolean {
    const open: string[] = []
    for (const [, slash, name, rest] of svg.matchAll(/<(\/?)([a-z]+)([^<>]*)>/gi)) {
      if (slash) {
        if (open.pop() !== name) return false
      } else if (!rest!.endsWith('/')) open.push(name!)
    }
    const text = svg.replaceAll(/<[^<>]*>/g, '')
    return (
      open.length === 0 &&
      !/[<>]|&(?!amp;|lt;|gt;)/.test(text) &&
      !/NaN|Infinity|undefined/.test(svg) &&
      !hasControl(svg)
    )
  }
  const hasControl = (text: string) => [...text].some(letter => letter < ' ' && letter !== '\n' && letter !== '\t')

  it('a diagram is well-formed, whatever the names and words', () => {
    const entries: TraceEntry[] = [
      { at: 0, kind: 'start', node: '<a & "b">', what: '' },
      { at: 10, kind: 'deliver', node: 'b', from: '<a & "b">', sentAt: 5, what: 'x < y & z\u0000\u0007' },
      { at: 12, kind: 'crash', node: 'b', what: '' },
      { at: 13, kind: 'emit', node: 'b', what: ']]>' },
    ]
    const svg = diagram(entries, 'seed <1>')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1400 \d+"/)
    expect(wellFormed(svg)).toBe(true)
    expect(wellFormed(diagram([], 'nothing'))).toBe(true)
    expect(wellFormed(diagram(entries.slice(0, 1), 'one'))).toBe(true)
  })
  const message = (at: number, taken = 500): TraceEntry => ({
    at,
    kind: 'deliver',
    node: 'b',
    from: 'a',
    sentAt: at - taken,
    what: 'grant',
  })
  it('a diagram has an axis of time, words on its arrows while they are few, and marks who lies', () => {
    const few = diagram([message(6_000, 5_000), message(21_000, 15_000)], 't', ['b'])
    expect([...few.matchAll(/>([\d.]+ ms)</g)].map(([, text]) => text)).toEqual(['5 ms', '10 ms', '15 ms', '20 ms'])
    expect(few.match(/>grant<\/text>/g)).toHaveLength(2)
    expect(few).toContain('>b (lies)<')
    expect(few).not.toContain('>a (lies)<')
    const many = diagram(
      Array.from({ length: 200 }, (_, at) => message(1_000 * at + 500)),
      't',
    )
    expect(many).not.toContain('grant</text>')
  })
  it('a long stretch in which nothing happens is drawn short, and says how long it is', () => {
    const svg = diagram([message(1_000), message(21_000)], 't')
    expect(svg).toContain('>19.5 ms later<')
    const arrows = [...svg.matchAll(/<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" stroke="#888"/g)]
    const lengths = arrows.map(([, from, to]) => Number(to) - Number(from))
    expect(lengths.every(length => length > 400)).toBe(true)
    expect(svg).toContain('>20.5 ms<')
    expect(wellFormed(svg)).toBe(true)
    expect(diagram([message(11_000, 10_000), message(21_000, 10_000)], 't')).not.toContain('later')
  })
  it('a long trace is cut to its end', () => {
    const many = Array.from({ length: 10_000 }, (_, at): TraceEntry => ({ at, kind: 'emit', node: 'n', what: `${at}` }))
    expect(diagram(many, 't').match(/<circle/g)!.length).toBe(3_000)
  })
})
