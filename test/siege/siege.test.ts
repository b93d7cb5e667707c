// The siege itself, besieged: what it measures, what it calls broken, and one that is interrupted. The minute of CI is a
// step of its own (.ci/run); a short siege from end to end is part of the long run.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namesOfLies } from '../../lab/lying-node.ts'
import { chooseMembers } from '../../src/events/client/members.ts'
import { sha256 } from '../../src/runtime/hash.ts'
import { historyLine } from '../../src/simulator/index.ts'
import { isLong, sized } from '../support/long.ts'
import { type EventLine, problemsOfEvents } from './events-journal.ts'
import { judgeLocks, judgeMembers, judgeObjects } from './journals.ts'
import { problemsOfPayments } from './ledger-journal.ts'
import { isAnswered, isProvable, moreMemberLies, moreServerLies, PROVABLE, WAYS } from './lies.ts'
import { type Operation, Operations } from './operations.ts'
import { readOptions } from './options.ts'
import { CHANNEL } from './programs/publishing.ts'
import { adviceOn, markdown, table } from './report.ts'
import { readResult, withTable } from './seen.ts'
import { nameAt } from './servers.ts'
import { NO_PROOF } from './unproved.ts'
import {
  busier,
  chanceOf,
  costOf,
  growth,
  isSlower,
  judged,
  type Measured,
  median,
  missed,
  type Row,
} from './verdict.ts'

const root = join(import.meta.dirname, '../..')
const script = join(root, 'test/siege/run.mjs')

/** One a `gap`, each as slow as that, from 0 to `until`. */
function steady(kind: string, from: number, until: number, gap: number, took: number): Operation[] {
  const count = Math.floor((until - from) / gap)
  return Array.from({ length: count }, (_, place) => [kind, from + place * gap, took, true] as const)
}

function allLies(): string[] {
  return (['server', 'member'] as const).flatMap(role =>
    [...namesOfLies(role, role === 'server' ? moreServerLies : moreMemberLies, true)].flatMap(([part, names]) =>
      names.map(name => `${part}/${name}`),
    ),
  )
}

describe('what a lie costs', () => {
  const honest = [{ from: 0, until: 4_000 }]
  const lying = { from: 4_000, until: 8_000 }

  it('is told of the kind of work that suffered most', () => {
    const operations = new Operations()
    operations.add(steady('lock', 0, 8_000, 10, 2))
    operations.add([...steady('object', 0, 4_000, 10, 2), ...steady('object', 4_000, 8_000, 40, 8)])
    const { throughput, p99, suffered } = costOf(operations, [lying], honest)
    expect(suffered).toBe('object')
    expect(throughput).toBeCloseTo(0.25, 1)
    expect(p99).toBeCloseTo(4, 1)
  })
  it('counts what is stuck: slow work that began under the lie and ended long after', () => {
    const operations = new Operations()
    operations.add([...steady('lock', 0, 4_000, 10, 2), ...steady('lock', 4_000, 8_000, 50, 5_000)])
    const { throughput, p99 } = costOf(operations, [lying], honest)
    expect(throughput).toBe(0)
    expect(p99).toBe(2_500)
  })
  it('says nothing of what is seldom done', () => {
    const operations = new Operations()
    operations.add(steady('seat', 0, 4_000, 2_000, 100))
    const nothing = {
      throughput: undefined,
      p99: undefined,
      suffered: '',
      isLow: false,
      slowest: '',
      isSlow: false,
    }
    expect(costOf(operations, [lying], honest)).toEqual(nothing)
  })
  // Twelve were usual; two are fewer than half of that, and come by chance six times in a hundred where six are done.
  it('is no finding where chance explains it, and one where it does not', () => {
    const elections = (during: number) => {
      const operations = new Operations()
      operations.add([...steady('election', 0, 4_000, 333, 1), ...steady('election', 4_000, 8_000, 4_000 / during, 1)])
      return costOf(operations, [lying], honest)
    }
    expect(elections(2)).toMatchObject({ suffered: 'election', isLow: false })
    expect(elections(2).throughput).toBeLessThan(0.5)
    expect(elections(0.5)).toMatchObject({ throughput: 0, isLow: true })
  })
  it('a row is judged by the kind of work that is low beyond chance, before one that only looks lower', () => {
    const operations = new Operations()
    operations.add([...steady('election', 0, 4_000, 600, 1), ...steady('lock', 0, 4_000, 10, 2)])
    operations.add(steady('lock', 4_000, 8_000, 30, 2))
    expect(costOf(operations, [lying], honest)).toMatchObject({ suffered: 'lock', isLow: true })
  })
  // Of a hundred one may be slower. Four are by chance twice in a hundred stretches, five less than once.
  it('is a p99 where more are slow than chance explains', () => {
    const slow = (count: number) => Array.from({ length: 100 }, (_, place) => (place < count ? 31 : 10))
    expect([1, 3, 4, 5].map(count => isSlower(slow(count), 30))).toEqual([false, false, false, true])
    expect(isSlower(slow(50), 31)).toBe(false)
  })
  it('names the kind of work that became slow', () => {
    const operations = new Operations()
    operations.add([...steady('lock', 0, 4_000, 10, 2), ...steady('lock', 4_000, 8_000, 10, 5)])
    operations.add([...steady('object', 0, 4_000, 10, 2), ...steady('object', 4_000, 8_000, 10, 7)])
    expect(costOf(operations, [lying], honest)).toMatchObject({ slowest: 'object', isSlow: true, p99: 3.5 })
  })
  // The machine stood still for a moment while it lied, and once while nobody did.
  it('over several stretches is a p99 where it is there in most of them', () => {
    const stretch = (from: number) => ({ from, until: from + 1_000 })
    const inTurns = (slow: readonly number[]) => {
      const operations = new Operations()
      for (let from = 0; from < 6_000; from += 1_000) {
        const took = slow.includes(from) ? 100 : 5
        operations.add(steady('lock', from, from + 100, 10, took))
        operations.add(steady('lock', from + 100, from + 900, 10, 5))
      }
      return costOf(operations, [1_000, 3_000, 5_000].map(stretch), [0, 2_000, 4_000].map(stretch))
    }
    expect(inTurns([])).toMatchObject({ isSlow: false, p99: 1 })
    expect(inTurns([3_000])).toMatchObject({ isSlow: false, p99: 1 })
    expect(inTurns([1_000, 5_000])).toMatchObject({ isSlow: true, p99: 20 })
    expect(inTurns([1_000, 2_000, 5_000])).toMatchObject({ isSlow: false, p99: 20 })
    expect(median([4, 1, 2, 3])).toBe(2.5)
  })
  it('chance: as tables have it', () => {
    expect(chanceOf(0, 3)).toBeCloseTo(0.0498, 4)
    expect(chanceOf(3, 10)).toBeCloseTo(0.0103, 4)
    expect(chanceOf(10, 10)).toBeCloseTo(0.583, 3)
  })
  it('in memory is the growth of the process that grew most, of those that were there before', () => {
    const before = new Map([
      ['one', 100],
      ['two', 200],
    ])
    const peak = new Map([
      ['one', 110],
      ['two', 300],
      ['new', 9_999],
    ])
    expect(growth(before, peak)).toBe(1.5)
    expect(growth(before, new Map())).toBeUndefined()
  })
  it('in work is what the process got busier by that got busier most, whatever one stretch was', () => {
    const stretch = (one: number, two: number) => ({
      from: 0,
      until: 1,
      shares: new Map([
        ['one', one],
        ['two', two],
      ]),
    })
    const honest = [stretch(0.1, 0.5), stretch(0.1, 0.4), stretch(0.1, 0.9)]
    expect(busier([stretch(0.4, 0.6)], honest)).toBeCloseTo(0.3)
    expect(busier([stretch(0.1, 0.2)], honest)).toBeCloseTo(0)
    const restarted = { from: 0, until: 1, shares: new Map([['three', 1]]) }
    expect(busier([restarted], honest)).toBeUndefined()
    expect(busier([stretch(0.4, 0.6)], [])).toBeUndefined()
  })
})

describe('the goals', () => {
  const fine: Measured = {
    stage: 'seven',
    part: 'lock',
    lie: 'always-yes',
    perSecond: 0,
    throughput: 0.5,
    p99: 3,
    suffered: 'lock',
    isLow: false,
    slowest: 'lock',
    isSlow: false,
    clientMemory: 1.3,
    serverMemory: 1.3,
    processor: 0.25,
    provable: true,
    named: true,
    repeated: 0,
    wellAfter: 10_000,
    waited: 10_000,
  }

  it('are met at their bounds, and missed just beyond', () => {
    expect(missed(fine)).toEqual([])
    expect(missed({ ...fine, throughput: 0.3, isLow: true })).toEqual(['throughput'])
    expect(missed({ ...fine, p99: 3.01, isSlow: true })).toEqual(['p99'])
    expect(missed({ ...fine, clientMemory: 1.31 })).toEqual(["clients' memory"])
    expect(missed({ ...fine, serverMemory: 1.31 })).toEqual(["servers' memory"])
    expect(missed({ ...fine, named: false })).toEqual(['not named'])
    expect(missed({ ...fine, named: false, provable: false })).toEqual([])
    expect(missed({ ...fine, wellAfter: undefined })).toEqual(['not well after 10 s'])
    expect(missed({ ...fine, wellAfter: undefined, waited: 9_999 })).toEqual([])
  })
  it('are missed where they are missed twice; once is said', () => {
    const slow = { ...fine, p99: 9, isSlow: true }
    expect(judged(slow)).toMatchObject({ misses: ['p99'], once: [] })
    expect(judged(slow, slow)).toMatchObject({ misses: ['p99'], once: [] })
    expect(judged(slow, fine)).toMatchObject({ misses: [], once: ['p99'], p99: 3 })
    expect(judged(slow, { ...fine, isLow: true })).toMatchObject({ misses: [], once: ['p99', 'throughput'] })
  })
  it('what was named once stands; what is not well at any time is missed', () => {
    const unnamed = { ...fine, named: false }
    expect(judged(unnamed, unnamed)).toMatchObject({ misses: ['not named'], once: [] })
    expect(judged(unnamed, fine)).toMatchObject({ misses: [], once: [] })
    expect(judged({ ...fine, isSlow: true }, { ...fine, wellAfter: undefined }).misses).toEqual(['not well after 10 s'])
  })
  it('are shown in a line for each lie', () => {
    expect(table([judged(fine)]).split('\n')[1]).toMatch(
      /^seven: lock\/always-yes {2}as it is .* 0\.50 × .* yes .* 10\.0 s$/,
    )
    const slow = { ...fine, isSlow: true }
    expect(table([judged(slow)])).toMatch(/ p99 of lock$/)
    expect(table([judged(slow, fine)])).toMatch(/ \(p99 of lock once\)$/)
    expect(table([judged({ ...fine, wellAfter: undefined })])).toMatch(/ NOT in 10\.0 s /)
    expect(table([judged({ ...fine, wellAfter: undefined, waited: 999 })])).toMatch(/ over 1\.0 s$/)
    expect(adviceOn([judged(fine), judged(slow)])).toMatch(/--stages seven --lies lock\/always-yes --seconds 60\n$/)
    expect(adviceOn([judged({ ...slow, lie: 'accuses all' })])).toContain('--lies "lock/accuses all" ')
    expect(adviceOn([judged(fine)])).toBe('')
    expect(markdown([judged({ ...fine, throughput: undefined })])).toContain(
      '| seven: lock/always-yes | as it is | – | 3.00 × |',
    )
  })
})

describe('the table of SECURITY.md', () => {
  const row = (change: Partial<Measured>): Row => {
    const measured: Measured = {
      ...{ stage: 'seven', part: 'lock', lie: 'always-yes', perSecond: 0, throughput: 0.97, p99: 1.2 },
      ...{ suffered: 'lock', isLow: false, slowest: 'lock', isSlow: false, clientMemory: 1, serverMemory: 1.04 },
      ...{ processor: 0.07, provable: false, named: false, repeated: 0, wellAfter: 260, waited: 10_000 },
      ...change,
    } as const
    return judged(measured)
  }
  const rows = [
    row({}),
    row({ perSecond: 2_000, throughput: 0.8, p99: undefined, processor: -0.02 }),
    row({ lie: 'token-burner', provable: true, isSlow: true, p99: 4, wellAfter: undefined }),
  ]
  const result = { seed: 7, seconds: 600, cores: 2, lies: 2, faults: 3, problems: [], rows }
  const page = 'before\n<!-- seen: begin -->\n\nold\n\n<!-- seen: end -->\nafter\n'

  it('has a line for each lie, both rates in it, and what was missed', () => {
    const written = withTable(page, result)
    const lines = written.split('\n').map(line => line.replaceAll(/ +/g, ' '))
    expect(lines).toContain(
      `| seven: lock/always-yes | 0.97 lock, 0.80 lock | 1.20 lock, – | 1.00 | 1.04 | +7 %, -2 % | not provable: ${NO_PROOF['lock/always-yes']} | 0.3 s | |`,
    )
    expect(lines).toContain(
      '| seven: lock/token-burner | 0.97 lock | 4.00 lock | 1.00 | 1.04 | +7 % | **no** | not in 10 s | p99, not named, not well after 10 s |',
    )
    const sentence = lines.join(' ')
    expect(sentence).toContain('2 lies, 3 faults, no promise was broken, 1 of 3 rows miss a goal')
    const once = { ...row({ perSecond: 2_000 }), once: ['p99'] }
    expect(withTable(page, { ...result, rows: [row({}), once] })).toMatch(/ \| \(p99, once\) +\|\n/)
    expect(withTable(page, { ...result, problems: ['x'] })).toContain('**1 promises were broken**')
  })
  it('takes the place of the one before, and nothing else of the page', () => {
    const written = withTable(page, result)
    expect(written.startsWith('before\n<!-- seen: begin -->\n')).toBe(true)
    expect(written.endsWith('\n<!-- seen: end -->\nafter\n')).toBe(true)
    expect(written).not.toContain('old')
    expect(withTable(written, result)).toBe(written)
    expect(() => withTable('a page without a place', result)).toThrow('the page has no')
  })
  it('is made of a whole result only', () => {
    expect(readResult(JSON.stringify(result))).toEqual(JSON.parse(JSON.stringify(result)))
    expect(readResult('> coterie@0.1.0 siege')).toContain('no JSON')
    expect(readResult('{"rows": []}')).toContain('no rows')
    expect(readResult(JSON.stringify({ ...result, cores: undefined }))).toContain('no cores')
  })
  it('has its place, and names lies that there are', () => {
    const written = withTable(readFileSync(join(root, 'SECURITY.md'), 'utf8'), result)
    expect(written).toContain('| seven: lock/token-burner |')
    const shown = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('<!-- seen: begin -->')[1]!
    const named = [
      ...shown.split('<!-- seen: end -->')[0]!.matchAll(/^\| (?:seven|four|members|secret): (\S.*?) +\|/gm),
    ]
    expect(named.map(([, lie]) => lie!).filter(lie => !allLies().includes(lie))).toEqual([])
  })
})

describe('the judgement', () => {
  let dir = ''
  const write = (name: string, lines: readonly object[]) =>
    writeFile(join(dir, name), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const inside = (who: string, at: number, token: string) => [
    { at, who, what: 'enter', name: 'room', token, until: at + 50 },
    { at: at + 10, who, what: 'leave', name: 'room', token },
  ]

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-judged-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  it('of locks sees two inside, over the journals of all clients', async () => {
    await write('journal-1.jsonl', inside('one', 0, '1'))
    await write('journal-2.jsonl', inside('two', 20, '2'))
    expect(await judgeLocks(dir)).toEqual([])
    await write('journal-2.jsonl', inside('two', 5, '2'))
    expect(await judgeLocks(dir)).toEqual(['room: two entered while one was inside'])
  })
  it('of objects sees a lost addition, and a read of what never was', async () => {
    const call = (id: number, words: object, result: unknown) => [
      historyLine({ at: id, who: 'one', id, what: 'call', call: words } as never),
      historyLine({ at: id + 0.5, who: 'one', id, what: 'returned', result } as never),
    ]
    const added = call(1, { kind: 'add', key: 'sum', by: 1 }, 1)
    await writeFile(join(dir, 'history-1.jsonl'), added.join(''))
    expect(await judgeObjects(dir, 1)).toEqual([])
    expect(await judgeObjects(dir, 0)).toEqual([expect.stringContaining('the counter says 0')])
    await writeFile(join(dir, 'history-1.jsonl'), [...added, ...call(2, { kind: 'read', key: 'a' }, 'ghost')].join(''))
    expect(await judgeObjects(dir, 1)).toEqual([expect.stringContaining('a is not linearizable')])
  })
  it('of events sees what is lost, invented, changed, doubled and left out', () => {
    const handed = (who: string, counter: number, text = `a ${counter}`) =>
      ({ what: 'handed', who, id: `news/a/1/${counter}`, text }) as const
    const said: EventLine[] = [1, 2].flatMap(counter => [
      { what: 'called', who: 'a', text: `a ${counter}` },
      { what: 'accepted', who: 'a', id: `news/a/1/${counter}`, text: `a ${counter}` },
    ])
    const held = [handed('admin', 1), handed('admin', 2)]
    expect(problemsOfEvents([...said, handed('b', 1)], held)).toEqual([])
    expect(problemsOfEvents(said, held.slice(0, 1))).toEqual(['event news/a/1/2 was accepted, and is not there'])
    expect(problemsOfEvents(said, [...held, handed('admin', 3)])[0]).toContain('which nobody published: a 3')
    expect(problemsOfEvents([...said, handed('b', 1, 'a 2')], held)).toEqual([
      'b was handed other words under news/a/1/1',
    ])
    expect(problemsOfEvents([...said, handed('b', 1), handed('b', 1)], held)[0]).toContain('where 2 was next')
    expect(problemsOfEvents([...said, handed('b', 2)], held)).toEqual(['b was handed news/a/1/2 where 1 was next'])
  })
  it('of a ledger sees two histories, a lost payment and a coin too many', () => {
    const paid = (index: number, root = `root ${index}`) => ({ index, leaf: `leaf ${index}`, size: index + 1, root })
    const final = { leaves: ['leaf 0', 'leaf 1'], held: 10n }
    expect(problemsOfPayments([paid(0), paid(1)], final, 10n)).toEqual([])
    expect(problemsOfPayments([paid(2)], final, 10n)).toEqual(['leaf 2 was certified, and the log has another'])
    expect(problemsOfPayments([paid(1), { ...paid(0), size: 2, root: 'other' }], final, 10n)).toEqual([
      'two histories of 2 leaves were certified',
    ])
    expect(problemsOfPayments([paid(1), paid(1)], final, 10n)).toEqual(['one place was certified for two payments'])
    expect(problemsOfPayments([], final, 11n)).toEqual(['the accounts hold 10 of 11 coins'])
  })
  it('of members sees two that lead, and two in one seat', async () => {
    const leads = (who: string, at: number, term: number) => ({ who, boot: 1, at, what: 'leads', term, until: at + 50 })
    const sits = (who: string, at: number) => ({ who, at, what: 'enter', slot: 'oak', until: at + 50 })
    await write('terms-1.jsonl', [leads('one', 0, 1), leads('two', 60, 2)])
    await write('seats-1.jsonl', [sits('one', 0), sits('two', 60)])
    expect(await judgeMembers(dir)).toEqual([])
    await write('terms-1.jsonl', [leads('one', 0, 1), leads('two', 40, 2)])
    await write('seats-1.jsonl', [sits('one', 0), sits('two', 40)])
    expect(await judgeMembers(dir)).toEqual([
      expect.stringContaining('two lead at once'),
      'oak: two entered while one was inside',
    ])
  })
})

describe('the lies', () => {
  const known = allLies()

  it('are those of the proofs and more, far beyond twenty-five', () => {
    expect(known.length).toBeGreaterThan(75)
    for (const lie of ['lock/too-low', 'ordering/heavy-votes', 'ordering/heavy-heads', 'election/endless-refusals']) {
      expect(known).toContain(lie)
    }
    for (const lie of [
      'events/withholding',
      'ledger/forks',
      'routing/inventing',
      'interest/two-faced',
      'lives/calls-old',
    ])
      expect(known).toContain(lie)
    expect(known).toContain('election/stuffs')
  })
  it('of servers are named, or it is said why they prove nothing; none is both', () => {
    const parts = ['lock', 'ordering', 'events', 'ledger', 'lives', 'node']
    const ofServers = known.filter(lie => parts.includes(lie.slice(0, lie.indexOf('/'))))
    expect(ofServers.filter(lie => PROVABLE.includes(lie) === Object.hasOwn(NO_PROOF, lie))).toEqual([])
    expect(Object.keys(NO_PROOF).filter(lie => !known.includes(lie))).toEqual([])
  })
  it('are answered by words about them, and not by what is said late of the lie before', () => {
    const [silent, forging] = ['silent', 'forging'].map(lie => ({ part: 'lock', lie }) as const)
    const late = 'status: answered what was never asked'
    expect(isAnswered(silent!, forging, [late])).toBe(false)
    expect(isAnswered(silent!, undefined, [late])).toBe(true)
    expect(isAnswered(forging!, forging, [late])).toBe(true)
    expect(isAnswered(forging!, forging, [])).toBe(false)
    expect(isAnswered(silent!, forging, ['something else'])).toBe(true)
  })
  it('that prove themselves are lies that there are', () => {
    expect([...PROVABLE, ...Object.keys(WAYS)].filter(lie => !known.includes(lie))).toEqual([])
    expect(isProvable('slots', 'false-share', 0)).toBe(true)
    // A flood is one when it is beyond what everybody may say at once.
    expect([5_999, 6_000].map(toldMs => isProvable('membership', 'floods', toldMs))).toEqual([false, true])
    expect(isProvable('lock', 'silent', 60_000)).toBe(false)
  })
})

describe('the command', () => {
  it('refuses what it does not know', () => {
    expect(readOptions(['--seconds', '0'])).toContain('--seconds is 0')
    expect(readOptions(['--stages', 'nine'])).toContain('seven, four, members, secret')
    expect(readOptions(['--what'])).toContain('what is "--what"?')
    expect(readOptions(['--lies', 'always-yes', '--strict', '--seed', '7'])).toMatchObject({ strict: true, seed: 7 })
  })
  it('writes nothing of a file that is not there', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, '--write', 'nothing.json'], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, 'nothing.json: there is no such file.\n'])
  })
  it('lists the lies', () => {
    const list = execFileSync(process.execPath, [script, '--list', '--stages', 'four'], { encoding: 'utf8' })
    expect(list).toContain('four: lock/always-yes\n')
    expect(list).not.toContain('ordering')
  })
})

/** `interruptAt`: it is interrupted a moment after it has said this. */
async function siege(args: readonly string[], interruptAt?: RegExp) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', data => {
    output += data
  })
  let interrupted = false
  child.stderr.on('data', data => {
    errors += data
    if (interrupted || !interruptAt?.test(errors)) return
    interrupted = true
    setTimeout(() => child.kill('SIGINT'), INTERRUPT_AFTER_MS)
  })
  const [code] = await once(child, 'close')
  return { code: code as number, output, errors }
}

const INTERRUPT_AFTER_MS = sized(2_000, 8_000)

describe('a short siege of four servers', () => {
  const LIMIT_MS = 240_000

  it.skipIf(!isLong)('tells each lie at both rates and says what it saw', { timeout: LIMIT_MS }, async () => {
    const asked = ['--stages', 'four', '--seconds', '10', '--lies', 'always-yes,bad-frames', '--json']
    const { code, output, errors } = await siege(asked)
    expect(code, errors).toBe(0)
    const { lies, problems, rows } = JSON.parse(output) as { lies: number; problems: string[]; rows: Row[] }
    expect({ lies, problems }).toEqual({ lies: 2, problems: [] })
    expect(rows.map(({ lie, perSecond }) => `${lie} ${perSecond}`).sort()).toEqual(
      ['always-yes 0', 'always-yes 2000', 'bad-frames 0', 'bad-frames 2000'].sort(),
    )
    for (const { perSecond, repeated } of rows) expect(repeated > 0).toBe(perSecond > 0)
  })
  it('ends when it is interrupted, and leaves nothing behind', { timeout: LIMIT_MS }, async () => {
    const { code } = await siege(['--stages', 'four', '--seconds', '60'], /four: starts/)
    expect(code).toBe(130)
  })
})

describe('a listener of events', () => {
  const servers = Array.from({ length: 7 }, (_, place) => `server-${place + 1}`)

  it.each(servers)('that is to get them from %s asks it first', server => {
    const sent: { readonly to: string }[] = []
    const settings = { hash: sha256, liars: 1, rules: { agreeing: () => 2 } }
    const scene = {
      state: { self: 'admin#1', servers, beats: 0 },
      settings,
      turn: { do: (one: never) => sent.push(one) },
    }
    const name = nameAt(server, servers, 'admin')
    const subscription = { channel: CHANNEL, name, id: 5, members: [], passed: new Map(), tracked: new Map() }
    chooseMembers(scene as never, subscription as never)
    expect(sent[0]?.to).toBe(server)
  })
})
