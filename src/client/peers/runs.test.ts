// Runs among members over real sockets, in one process: the answer of the open algorithm, consent, and what is refused.

import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../../../test/support/processes.ts'
import { auditRun } from '../../bandits/machines.ts'
import { seededRandom } from '../../core/index.ts'
import { opensslBanditTools } from '../../runtime/bandit-tools.ts'
import { initGroup } from '../../runtime/setup/group.ts'
import { ArmFailed, RunEnded, RunRefused, TamperedRound } from '../bandits/errors.ts'
import type { ArmSource } from '../bandits/options.ts'
import { join } from '../join.ts'
import type { JoinedGroup } from './joined-group.ts'
import { readRunLog } from './run-files.ts'
import { MemberRuns } from './runs.ts'
import type { RunTerms } from './served-arm.ts'

const COLOURS = ['red', 'green', 'blue'] as const
const MEANS = { red: 0.2, green: 0.9, blue: 0.4 }
/** The same pull gives the same reward. */
const coin =
  (colour: (typeof COLOURS)[number]): ArmSource =>
  ({ pull }) =>
    seededRandom(COLOURS.indexOf(colour), pull).unit() < MEANS[colour] ? 1 : 0

let dir: string
let folders: readonly string[]
let owners: JoinedGroup[]
let north: JoinedGroup
let south: JoinedGroup
const open: JoinedGroup[] = []

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-runs-'))
  const basePort = (await freePorts(6)) - 200
  const made = await initGroup({ dir: path(dir, 'group'), members: 5, basePort, servers: 1, crashes: 0 })
  folders = made.memberFolders
  open.push(...(await Promise.all(made.memberFolders.map(config => join({ config })))))
  ;[north, south] = [open[3]!, open[4]!]
  owners = open.slice(0, 3)
}, 30_000)
afterAll(async () => {
  await Promise.all(open.map(member => member.close()))
  await rm(dir, { recursive: true, force: true })
})

const among = () => ({ arms: [...COLOURS], shuffler: north.name, comparator: south.name })
const serveAll = (name: string) =>
  Promise.all(COLOURS.map((colour, place) => owners[place]!.arm(name, colour, coin(colour))))

describe('three owners, and two members that shuffle and compare', () => {
  it('find the best arm: the user owns one of them', async () => {
    const arms = await serveAll('colour')
    const run = owners[0]!.bestArm({ name: 'colour', ...among(), budget: 60, timeout: 30_000 })
    const { best, spent, told } = await run.result
    expect(best).toBe('green')
    expect(arms.reduce((sum, arm) => sum + arm.pulls, 0)).toBe(spent)
    expect(told).toContain(`'${north.name}', which shuffled`)
  }, 40_000)

  it('earn: the sum of what was paid, and rounds are followed', async () => {
    const arms = await serveAll('earn')
    const run = owners[1]!.maximise({ name: 'earn', ...among(), budget: 30, batch: 0.1, timeout: 30_000 })
    const { sum } = await run.result
    const paid = arms.map((arm, place) => {
      const source = coin(COLOURS[place]!)
      return Array.from({ length: arm.pulls }, (_, at) => Number(source({ pull: at + 1, signal: AbortSignal.any([]) })))
    })
    expect(sum).toBe(paid.flat().reduce((a, b) => a + b, 0))
    expect(paid.flat().length).toBe(30)
  }, 40_000)

  it('as the first page has it: a disposable arm at each owner, a budget in batches, a time limit and a signal', async () => {
    const reward = async (colour: (typeof COLOURS)[number], pull: number, signal: AbortSignal) =>
      Number(await coin(colour)({ pull, signal }))
    await using red = await owners[0]!.arm('page', 'red', async ({ pull, signal }) => reward('red', pull, signal))
    await using green = await owners[1]!.arm('page', 'green', async ({ pull, signal }) => reward('green', pull, signal))
    await using blue = await owners[2]!.arm('page', 'blue', async ({ pull, signal }) => reward('blue', pull, signal))
    const { signal } = new AbortController()
    const run = owners[1]!.maximise({
      name: 'page',
      arms: ['red', 'green', 'blue'],
      budget: 24,
      batch: 0.003,
      shuffler: 'member-4',
      comparator: 'member-5',
      timeout: 30_000,
      signal,
    })
    const found = await run.result
    expect(found.spent).toBe(24)
    expect(red.pulls + green.pulls + blue.pulls).toBe(24)
    expect(found.sum).toBeLessThanOrEqual(24)
  }, 40_000)

  it('every party has a log, and an auditor with all of them finds the run right', async () => {
    await serveAll('audited')
    const run = owners[0]!.bestArm({ name: 'audited', ...among(), budget: 20, timeout: 30_000 })
    const { audit } = await run.result
    expect(audit?.heads.map(({ member }) => member).sort()).toEqual(open.map(({ name }) => name).sort())
    const files = folders.map(folder => {
      const [file] = readdirSync(path(folder, 'runs')).filter(one => one.startsWith('audited-'))
      return path(folder, 'runs', file!)
    })
    expect(files).toContain(audit?.file)
    expect(statSync(files[0]!).mode & 0o777).toBe(0o600)
    const found = auditRun(await opensslBanditTools(), files.map(readRunLog))
    expect(found).toMatchObject({ verdict: 'right', rounds: 2 })
  }, 40_000)

  it('without an audit nothing is kept', async () => {
    await serveAll('unaudited')
    const run = owners[0]!.bestArm({ name: 'unaudited', ...among(), budget: 8, audit: false, timeout: 30_000 })
    expect((await run.result).audit).toBe(undefined)
    for (const folder of folders) {
      expect(readdirSync(path(folder, 'runs')).filter(file => file.startsWith('unaudited'))).toEqual([])
    }
  }, 40_000)

  it('an arm serves one run, and a second is refused before anything is pulled', async () => {
    const again = owners[0]!.bestArm({ name: 'colour', ...among(), budget: 60, timeout: 30_000 })
    await expect(again.result).rejects.toThrow('has served 1 of the 1 runs that its owner allows.')
    await expect(again.result).rejects.toBeInstanceOf(RunRefused)
    await expect(again.result).rejects.toMatchObject({ outcome: 'did not happen' })
  }, 40_000)

  it('an owner sees who asks for what, and may refuse', async () => {
    const shown: RunTerms[] = []
    await owners[0]!.arm('shown', 'red', () => 1)
    const accept = (settings: RunTerms) => {
      shown.push(settings)
      return settings.budget < 10
    }
    await owners[1]!.arm('shown', 'green', () => 1, { accept })
    const run = owners[0]!.bestArm({ name: 'shown', ...among(), arms: ['red', 'green'], budget: 20, timeout: 30_000 })
    await expect(run.result).rejects.toThrow(
      `'${owners[1]!.name}' declined: the owner of arm 'green' does not take part.`,
    )
    expect(shown).toEqual([
      expect.objectContaining({
        user: owners[0]!.name,
        arm: 'green',
        budget: 20,
        shuffler: north.name,
        privacy: 'blind',
        audit: true,
      }),
    ])
    const less = { name: 'shown', arms: ['red', 'green'], budget: 20, privacy: 'thesis', protocol: 'ucb-d' } as const
    await expect(owners[0]!.maximise({ ...less, shuffler: north.name, timeout: 30_000 }).result).rejects.toThrow(
      'does not take part',
    )
    expect(shown[1]).toMatchObject({ privacy: 'thesis', protocol: 'ucb-d', audit: false })
  }, 40_000)

  it('a source that fails ends the run: its owner is told which arm, the user only that it was an arm', async () => {
    await owners[0]!.arm('broken', 'red', () => 1)
    const dead = await owners[1]!.arm('broken', 'green', () => Promise.reject(new Error('gone')), { pullRetries: 1 })
    const run = owners[0]!.bestArm({ name: 'broken', ...among(), arms: ['red', 'green'], budget: 20, timeout: 30_000 })
    await expect(run.result).rejects.toThrow(
      /^run 'broken' has no answer: an arm gives no rewards\. About \d+ of \d+ pulls were made\.$/,
    )
    await expect(run.result).rejects.toBeInstanceOf(ArmFailed)
    await expect(dead.ended).rejects.toThrow("arm 'green' gave no reward for pull 1, in 2 tries: gone.")
    await expect(dead.ended).rejects.toBeInstanceOf(ArmFailed)
  }, 40_000)
})

describe("the thesis's protocols among members", () => {
  it.each(['ucb-ds', 'ucb-ds2'] as const)(
    '%s earns what its arms paid, and one member controls it',
    async protocol => {
      const arms = await serveAll(protocol)
      const options = {
        name: protocol,
        arms: [...COLOURS],
        budget: 14,
        timeout: 30_000,
        privacy: 'thesis',
        protocol,
      } as const
      const { sum, spent, told, audit } = await owners[0]!.maximise({ ...options, shuffler: north.name }).result
      const paid = arms.flatMap((arm, place) =>
        Array.from({ length: arm.pulls }, (_, at) =>
          Number(coin(COLOURS[place]!)({ pull: at + 1, signal: AbortSignal.any([]) })),
        ),
      )
      expect([sum, spent, paid.length]).toEqual([paid.reduce((a, b) => a + b, 0), 14, 14])
      expect(told).toContain(`'${north.name}', the controller, sees who is pulled`)
      expect(audit).toBe(undefined)
      expect(told).toContain('cannot be audited')
    },
    40_000,
  )

  it('SR-secured finds the best of values that only the caller knows: other members draw', async () => {
    const { best, rounds, told } = await owners[0]!.bestArm({
      name: 'worth',
      privacy: 'thesis',
      values: { red: 13, green: 17.5, blue: -4 },
      epsilon: 2,
      budget: 60,
      shuffler: north.name,
      comparator: south.name,
      drawers: [owners[1]!.name, owners[2]!.name],
      timeout: 30_000,
    }).result
    expect([best, rounds]).toEqual(['green', 2])
    expect(told).toContain('BAI')
  }, 40_000)

  it('what these do not play is refused with a sentence', async () => {
    const ring = { name: 'x', arms: ['red', 'green'], budget: 9, privacy: 'thesis', shuffler: north.name } as const
    const search = {
      name: 'x',
      privacy: 'thesis',
      values: { a: 1, b: 2 },
      epsilon: 1,
      budget: 9,
      shuffler: north.name,
      comparator: south.name,
      timeout: 5_000,
    } as const
    const [anna, ben] = [owners[0]!, owners[1]!]
    expect(() => anna.maximise({ ...ring, batch: 0.5 })).toThrow('one pull a round')
    expect(() => anna.maximise({ ...ring, audit: 'owner' })).toThrow('keeps no logs')
    expect(() => anna.bestArm({ ...search, drawers: [ben.name], audit: 'owner' } as never)).toThrow('keeps no logs')
    expect(() => anna.maximise({ ...ring, privacy: 'open' } as never)).toThrow("'ucb-d', which encrypts nothing")
    expect(() => anna.bestArm({ ...among(), name: 'x', budget: 9, privacy: 'open' } as never)).toThrow('one process')
    expect(() => anna.maximise({ ...ring, comparator: south.name })).toThrow('leave out comparator')
    expect(() => anna.maximise({ ...ring, privacy: 'blind' })).toThrow('which member compares?')
    expect(() => anna.bestArm({ ...search, drawers: [] })).toThrow('drawers is an array; it must be a list of 1 to 31')
    expect(() => anna.bestArm({ ...search, drawers: [ben.name, 'x'] })).toThrow('2 arms need 1 drawers')
    expect(() => anna.bestArm({ ...search, drawers: [ben.name], arms: ['a'] } as never)).toThrow('not arms')
    await expect(anna.bestArm({ ...search, drawers: [anna.name] }).result).rejects.toThrow('cannot draw as well')
    await expect(anna.bestArm({ ...search, drawers: [north.name] }).result).rejects.toThrow('cannot shuffle as well')
    await expect(anna.bestArm({ ...search, drawers: ['nobody'], timeout: 700 }).result).rejects.toThrow(
      "'nobody' is no member that is known here",
    )
  })
})

describe('what is refused', () => {
  const ask = (options: object) =>
    owners[0]!.bestArm({ name: 'bad', ...among(), budget: 20, timeout: 600, ...options }).result

  it('an arm that nobody serves is named, in time, and nothing was pulled', async () => {
    await owners[0]!.arm('bad', 'red', () => 1)
    await expect(ask({})).rejects.toThrow(
      "run 'bad' did not begin: nobody serves arm 'green', 'blue', and its time was up.",
    )
    await expect(ask({})).rejects.toMatchObject({ outcome: 'did not happen' })
  })

  it('a party that is no member; shuffler and comparator the same, or owner of an arm, or the user', async () => {
    await owners[1]!.arm('bad', 'green', () => 1)
    await owners[2]!.arm('bad', 'blue', () => 1)
    await expect(ask({ shuffler: 'nobody' })).rejects.toThrow("'nobody' is no member that is known here")
    await expect(ask({ shuffler: south.name })).rejects.toThrow('cannot shuffle and compare')
    await expect(ask({ shuffler: owners[1]!.name })).rejects.toThrow('has an arm and cannot shuffle as well')
    await expect(ask({ comparator: owners[0]!.name })).rejects.toThrow('cannot compare as well')
  })

  it.each<[object, string]>([
    [{ arms: ['red'] }, 'a run needs at least 2 arms, not 1.'],
    [{ arms: ['red', 'red'] }, "two arms are called 'red'."],
    [{ arms: ['red', 'Green'] }, 'the name of an arm is "Green"; it must be 1 to 40 lower-case letters'],
    [{ arms: Array.from({ length: 33 }, (_, at) => `a${at}`) }, 'a private run has at most 32 arms, not 33.'],
    [{ arms: { red: () => 1 } }, 'a list of 2 to 32 different names'],
    [{ name: 'No' }, 'lower-case letters'],
    [{ budget: 3 }, 'a whole number from 4'],
    [{ rewards: [1, 0] }, 'two numbers, the smaller first'],
    [{ shufler: 'x' }, 'Did you mean shuffler?'],
  ])('%o: %s', (options, sentence) => {
    expect(() => ask(options)).toThrow(sentence)
  })

  it('one arm twice at one member, and what is no function', async () => {
    await expect(owners[0]!.arm('bad', 'red', () => 1)).rejects.toThrow("serves arm 'red' of 'bad' already")
    await expect(owners[0]!.arm('other', 'red', 5 as never)).rejects.toThrow('must be a function')
    await expect(owners[0]!.arm('other', 'red', () => 1, { runs: 0 })).rejects.toThrow('runs is 0')
  })
})

it('a signal ends a run that has begun: arms may have been pulled', async () => {
  const stuck: ArmSource = () => new Promise(() => {})
  await owners[0]!.arm('stuck', 'red', stuck)
  const second = await owners[1]!.arm('stuck', 'green', stuck)
  const ending = new AbortController()
  const run = owners[0]!.bestArm({
    name: 'stuck',
    ...among(),
    arms: ['red', 'green'],
    budget: 20,
    signal: ending.signal,
  })
  setTimeout(() => ending.abort(), 1_500)
  await expect(run.result).rejects.toThrow('the signal fired')
  await expect(run.result).rejects.toBeInstanceOf(RunEnded)
  await second.close()
}, 20_000)

it('where an arm was dropped, it is told what those that are left learn: two learn nearly everything', async () => {
  const runs = new MemberRuns(() => {})
  const options = { name: 'x', arms: ['a', 'b', 'c'], budget: 9, shuffler: 'n', comparator: 's', audit: false } as const
  const run = runs.maximise({ ...options, armTimeout: 100, onLost: 'drop' })
  runs.take({ kind: 'answered', name: 'x', best: undefined, steps: 0, lost: [1], again: 0, heads: [] })
  const { lost, told } = await run.result
  expect(lost).toEqual(['b'])
  expect(told).toContain('as there are two arms, nearly everything about the other')
})

it('a signal that fired before: nobody is asked, and no arm is pulled', async () => {
  const told: unknown[] = []
  const runs = new MemberRuns(command => told.push(command))
  const options = {
    name: 'x',
    arms: ['a', 'b'],
    budget: 9,
    shuffler: 'n',
    comparator: 's',
    signal: AbortSignal.abort(),
  }
  const run = runs.bestArm(options)
  await expect(run.result).rejects.toBeInstanceOf(RunRefused)
  await expect(run.result).rejects.toThrow("run 'x' did not begin: the signal had fired.")
  await expect(run[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(RunRefused)
  expect(told).toEqual([])
})

it.each([
  ['an arm was silent for too long', RunEnded],
  ["'north' does not know the run any more", RunEnded],
  ['an arm gives no rewards', ArmFailed],
  ['a token is neither of the two that were sealed', TamperedRound],
])('%s: what the user is told, and how far it was', async (why, kind) => {
  const runs = new MemberRuns(() => {})
  const run = runs.bestArm({ name: 'x', arms: ['a', 'b'], budget: 9, shuffler: 'n', comparator: 's' })
  runs.take({ kind: 'progress', name: 'x', round: 1, spent: 4 })
  runs.take({ kind: 'stopped', name: 'x', why })
  await expect(run.result).rejects.toBeInstanceOf(kind)
  await expect(run.result).rejects.toThrow(`run 'x' has no answer: ${why}. About 4 of 9 pulls were made.`)
})

it('an arm that is served again after a restart is pulled at once: the question comes before the call returns', async () => {
  const told: unknown[] = []
  const runs: MemberRuns = new MemberRuns(command => {
    told.push(command)
    if (command.kind !== 'serve') return
    runs.take({ kind: 'pull', id: 'x', name: 'colour', arm: 'red', number: 7, rewards: [0, 2] })
  })
  runs.serve('colour', 'red', ({ pull }) => pull / 7, {})
  await new Promise(resolve => setImmediate(resolve))
  expect(told.at(-1)).toEqual({ kind: 'reward', id: 'x', number: 7, steps: 2 ** 19 })
})
