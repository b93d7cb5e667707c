// The audit (protocols/bandits 14): an honest run is right, and every lie is named: those that are refused in the run, and those that
// nobody can refuse.

import { describe, expect, it } from 'vitest'
import type { AnyProtocol } from '../../core/index.ts'
import { banditArm } from '../arm/machine.ts'
import type { ArmState } from '../arm/state.ts'
import { banditComparator } from '../comparator/machine.ts'
import type { NumberedEntry } from '../member/entries.ts'
import { chained } from '../member/log.ts'
import type { Role } from '../member/wire.ts'
import { GRID } from '../policies/index.ts'
import { type AmongResult, banditLiars, type Lying, playAmong, subtleBanditLiars, tapes } from '../proof/index.ts'
import { rewardGrid } from '../rewards.ts'
import type { BanditRules } from '../rules.ts'
import { ALGORITHMS, type Algorithm, type BanditKeys, type BanditSettings } from '../settings.ts'
import { banditShuffler } from '../shuffler/machine.ts'
import { auditRun } from './audit.ts'
import type { AuditResult, PartyLog } from './reading.ts'

const MAKE: Readonly<Record<string, (settings: BanditSettings, keys: BanditKeys) => AnyProtocol>> = {
  arm: banditArm,
  shuffler: banditShuffler,
  comparator: banditComparator,
}
const MEMBER = { arm: 'owner-2', shuffler: 'north', comparator: 'south' } as const

const play = (algorithm: Algorithm, lying?: Lying, seed = 3): AmongResult =>
  playAmong({ algorithm, budget: 24, sources: tapes(seed, 3, 3), seed, ...(lying && { lying }) })
const audited = ({ tools, logs }: AmongResult, table?: Parameters<typeof auditRun>[2]): AuditResult =>
  auditRun(tools, [...logs.values()], table)

/** A machine of the honest code that follows another rule. */
const following = (part: keyof typeof MEMBER, rules: Partial<BanditRules>): Lying => ({
  member: MEMBER[part],
  machine: (role: Role, settings, keys) =>
    role === part ? MAKE[part]!({ ...settings, rules: { ...settings.rules, ...rules } }, keys) : undefined,
})

describe('an honest run', () => {
  it.each(ALGORITHMS)('%s is right, whatever the tapes', algorithm => {
    for (let seed = 1; seed <= 8; seed++) {
      const played = play(algorithm, undefined, seed)
      expect(played.ended).toMatchObject({ kind: 'answered' })
      const found = audited(played)
      expect(found, `seed ${seed}`).toMatchObject({ verdict: 'right' })
      expect(found.verdict === 'right' && found.rounds).toBeGreaterThan(1)
      expect(found.verdict === 'right' && found.messages).toBeGreaterThan(20)
    }
  })

  it('the user has what every party commits its log with', () => {
    const { ended } = play('ucb1')
    expect(ended?.kind === 'answered' && ended.heads.map(({ member }) => member).sort()).toEqual([
      'north',
      'owner-1',
      'owner-2',
      'owner-3',
      'south',
    ])
  })

  it('without the log of a party it says whose is missing, and names nobody', () => {
    const { tools, logs } = play('ucb1')
    const some = [...logs].filter(([id]) => id !== 'south').map(([, log]) => log)
    expect(auditRun(tools, some)).toEqual({ verdict: 'unclear', what: "the log of 'south' is missing" })
  })
})

describe('lies that nobody can refuse in the run: there is an answer, and the audit refutes it', () => {
  const lies: readonly [string, keyof typeof MEMBER, Algorithm, Lying, RegExp][] = [
    [
      'an arm claims a high index',
      'arm',
      'successive-rejects',
      following('arm', { searchIndex: () => 3 * GRID }),
      /its box of round 0 does not follow from its rewards/,
    ],
    [
      'the comparator names the worst',
      'comparator',
      'ucb1',
      following('comparator', { wins: (ranks, stay) => ranks.map(rank => rank < stay) }),
      /its answer to round 0 is not the order/,
    ],
    [
      'the comparator lets all win: more is pulled than the budget',
      'comparator',
      'ucb1',
      following('comparator', { wins: ranks => ranks.map(() => true) }),
      /its answer to round \d+ is not the order/,
    ],
    [
      'the shuffler repeats its seats',
      'shuffler',
      'ucb1',
      following('shuffler', { shuffledFor: () => 0 }),
      /its turn for 'owner-\d' in round \d is not the one/,
    ],
    [
      'an arm tells the user another sum',
      'arm',
      'ucb1',
      { member: MEMBER.arm, machine: otherSum },
      /what it told the user at the end/,
    ],
  ]
  it.each(lies)('%s', (name, part, algorithm, lying, what) => {
    const played = play(algorithm, lying)
    // Where all win, the sum is more than the budget could earn, and the user refuses it.
    expect(played.ended?.kind).toBe(/all win/.test(name) ? 'stopped' : 'answered')
    expect(audited(played)).toMatchObject({ verdict: 'lied', party: MEMBER[part] })
    const found = audited(played)
    expect(found.verdict === 'lied' && found.what).toMatch(what)
  })

  it('an arm that invents rewards is named where somebody knows what it should have paid', () => {
    const sources = tapes(3, 3, 3)
    const played = play('ucb1')
    const rewards = Object.fromEntries(
      sources.map((source, place) => [`arm-${place + 1}`, Array.from({ length: 24 }, (_, at) => source(at + 1))]),
    )
    const { steps } = rewardGrid()
    expect(audited(played, { rewards, steps })).toMatchObject({ verdict: 'right' })
    const others = { ...rewards, 'arm-2': rewards['arm-2']!.map(reward => 1 - reward) }
    expect(audited(played, { rewards: others, steps })).toMatchObject({ verdict: 'lied', party: 'owner-2' })
  })
})

/** Adds one to its sum just before it answers. */
function otherSum(role: Role, settings: BanditSettings, keys: BanditKeys): AnyProtocol | undefined {
  if (role !== 'arm') return undefined
  const honest: AnyProtocol = banditArm(settings, keys)
  const last = settings.run.budget - settings.run.arms.length
  return {
    ...honest,
    step(state: ArmState, input, turn) {
      if (input.kind === 'message' && input.body.kind === 'turn' && input.body.round === last && state.pulls > 0)
        state.sum--
      honest.step(state, input, turn)
    },
    check: () => {},
  }
}

describe('lies that are refused in the run: it ends with an error, and the audit names who lied', () => {
  const named = banditLiars().filter(({ name }) => !/ is /.test(name))
  it.each(named.map(liar => [liar.name, liar] as const))('%s', (_name, liar) => {
    const lying: Lying = {
      member: MEMBER[liar.part],
      machine: (role, settings, keys) => (role === liar.part ? liar.corrupt(MAKE[role]!(settings, keys)) : undefined),
      ...(liar.keys && { keys: honest => liar.keys!(honest) }),
    }
    const played = play(liar.name === 'gives no verdict' ? 'successive-rejects' : 'ucb1', lying)
    expect(played.ended?.kind).toBe('stopped')
    expect(audited(played)).toMatchObject({ verdict: 'lied', party: MEMBER[liar.part] })
  })
})

describe('lies about who has won a search', () => {
  /** An arm whose token of the last round is always this. */
  const claiming = (claim: Uint8Array): Lying => ({
    member: MEMBER.arm,
    machine(role, settings, keys) {
      if (role !== 'arm') return undefined
      const honest: AnyProtocol = banditArm(settings, keys)
      return {
        ...honest,
        init: (self, peers, saved) =>
          Object.defineProperty(honest.init(self, peers, saved), 'claim', { get: () => claim, set: () => {} }),
        check: () => {},
      }
    },
  })
  /** A tape whose best arm is, or is not, that of the one who lies. */
  const seedWhere = (isBest: boolean) =>
    [1, 2, 3, 4, 5, 6, 7, 8].find(seed => {
      const { ended } = play('successive-rejects', undefined, seed)
      return ended?.kind === 'answered' && (ended.best === 1) === isBest
    })!

  it('the best arm hides it: nobody has won, and the audit names it', () => {
    const played = play('successive-rejects', claiming(new Uint8Array(0)), seedWhere(true))
    expect(played.ended).toMatchObject({ kind: 'stopped', why: 'not exactly one arm has won' })
    expect(audited(played)).toMatchObject({ verdict: 'lied', party: MEMBER.arm })
  })

  it('another arm claims it: the answer is right nevertheless, and the audit names it', () => {
    const seed = seedWhere(false)
    const played = play('successive-rejects', claiming(new Uint8Array(16).fill(7)), seed)
    const honest = play('successive-rejects', undefined, seed)
    expect(played.ended).toMatchObject({ kind: 'answered' })
    expect(played.ended?.kind === 'answered' && honest.ended?.kind === 'answered' && played.ended.best).toBe(
      honest.ended?.kind === 'answered' ? honest.ended.best : undefined,
    )
    expect(audited(played)).toMatchObject({ verdict: 'lied', party: MEMBER.arm })
  })

  it('the comparator signs that another token has won: nobody has it, and the audit names the comparator', () => {
    const keys = (honest: BanditKeys): BanditKeys => ({
      ...honest,
      tools: {
        ...honest.tools,
        prf(key, message) {
          const found = honest.tools.prf(key, message)
          return new TextDecoder().decode(message).includes('winner') ? found.map(byte => byte ^ 1) : found
        },
      },
    })
    const played = play('successive-rejects', { member: MEMBER.comparator, keys })
    expect(played.ended).toMatchObject({ kind: 'stopped', why: 'not exactly one arm has won' })
    expect(audited(played)).toMatchObject({
      verdict: 'lied',
      party: MEMBER.comparator,
      what: 'its verdict names another winner',
    })
  })
})

describe('lies of which the run may notice nothing: the audit names who lied, on every tape', () => {
  it.each(subtleBanditLiars().map(liar => [liar.name, liar] as const))('%s', (_name, liar) => {
    for (let seed = 1; seed <= 6; seed++) {
      const lying: Lying = {
        member: MEMBER[liar.part],
        machine: (role, settings, keys) => (role === liar.part ? liar.corrupt(MAKE[role]!(settings, keys)) : undefined),
        ...(liar.keys && { keys: honest => liar.keys!(honest) }),
      }
      const found = audited(play('ucb1', lying, seed))
      expect(found, `seed ${seed}`).toMatchObject({ verdict: 'lied', party: MEMBER[liar.part] })
    }
  })
})

it('rubbish in place of a part of the keys: there is no answer, and it is said between whom', () => {
  const rubbish = (honest: AnyProtocol): AnyProtocol => ({
    ...honest,
    step: (state, input, turn) =>
      honest.step(state, input, {
        ...turn,
        do: effect =>
          turn.do(
            effect.kind === 'send' && effect.body.kind === 'share'
              ? { ...effect, body: { kind: 'share', sealed: effect.body.sealed.map((byte: number) => byte ^ 1) } }
              : effect,
          ),
      }),
  })
  const machine: Lying['machine'] = (role, settings, keys) =>
    role === 'arm' ? rubbish(banditArm(settings, keys)) : undefined
  const found = audited(play('ucb1', { member: MEMBER.arm, machine }))
  expect(found).toMatchObject({ verdict: 'unclear', what: expect.stringContaining("'owner-2' gave") })
})

describe('a log that was changed', () => {
  const change = (logs: ReadonlyMap<string, PartyLog>, id: string, edit: (log: NumberedEntry[]) => NumberedEntry[]) =>
    [...logs].map(([member, log]) => (member === id ? edit([...log]) : log))

  it('after the run: it is not the one that was committed', () => {
    const { tools, logs } = play('ucb1')
    const forged = change(logs, 'owner-3', log =>
      log.map(({ number, entry }) => ({
        number,
        entry: entry.kind === 'paid' && entry.number === 1 ? { ...entry, steps: (entry.steps + 1) % GRID } : entry,
      })),
    )
    expect(auditRun(tools, forged)).toMatchObject({
      verdict: 'lied',
      party: 'owner-3',
      what: expect.stringContaining('committed'),
    })
  })

  it('a message that nobody signed', () => {
    const { tools, logs } = play('ucb1')
    const forged = change(logs, 'north', log =>
      log.map(({ number, entry }) => ({
        number,
        entry:
          entry.kind === 'heard' && entry.word === 'tokens'
            ? { ...entry, hash: entry.hash.map(byte => byte ^ 1) }
            : entry,
      })),
    )
    expect(auditRun(tools, forged)).toMatchObject({ verdict: 'lied', party: 'north' })
  })
})

it('a head confirms no guess: the same entries with another salt have another', () => {
  const { tools, logs } = play('ucb1')
  const [opened, ...rest] = logs.get('owner-2')!
  const headOf = (salt: Uint8Array) =>
    [opened!, ...rest.filter(({ entry }) => entry.kind !== 'closed')].reduce<Uint8Array>(
      (head, entry) => chained(tools, head, salt, entry),
      new Uint8Array(0),
    )
  expect(headOf(new Uint8Array(32))).not.toEqual(headOf(new Uint8Array(32).fill(1)))
})
