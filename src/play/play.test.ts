// A run in somebody's hands: the same run as the simulator's, stopped where one likes, changed by acts and words.

import { describe, expect, it } from 'vitest'
import { trust } from '../core/index.ts'
import { lockScenario } from '../lock/proof/index.ts'
import { Play, type RunSpec, readAct, runOnce } from '../simulator/index.ts'
import { allPlaygrounds } from './all.ts'
import { hashNote, openRun, playAddress, playSpec } from './index.ts'

const DUEL = 'run=lock-printed.n5.b1.f1.s-duel&seed=2'

function played(address: string): Play {
  const play = playAddress(address)
  if (typeof play === 'string') throw new Error(play)
  return play
}

describe('a run in somebody’s hands', () => {
  it('without acts is the run of the simulator, event by event', () => {
    const scenario = lockScenario(trust({ servers: 4, liars: 1 }))
    for (const seed of [1, 2, 3, 4, 5]) {
      const play = played(`run=lock.n4.b1&seed=${seed}`)
      while (play.step() === 'on');
      const whole = runOnce(scenario, seed, {}, true)
      expect(play.hash).toBe(whole.traceHash)
      expect(play.trace.map(({ at, what }) => ({ at, what }))).toEqual(
        whole.trace.map(({ at, what }) => ({ at, what })),
      )
      expect(play.status).toBe('over')
      expect(play.outside).toEqual([])
    }
  })
  it('takes what is kept of it, as a failing run is shrunk', () => {
    const scenario = lockScenario(trust({ servers: 4, liars: 1 }))
    const play = played('run=lock.n4.b1&seed=9&calm=1&only=0,3,5')
    play.toEnd()
    expect(play.hash).toBe(runOnce(scenario, 9, { calm: true, only: [0, 3, 5] }).traceHash)
    expect(play.items.filter(({ on }) => on).map(({ number }) => number)).toEqual([0, 3, 5])
  })
  it('stops at the event that breaks a promise, and says where', () => {
    const play = played(`${DUEL}&say=server-5:ff`)
    expect(play.toEnd()).toBe('broken')
    expect(play.violations).toEqual([
      { what: expect.stringMatching(/is held by client-\d .* and client-\d/), at: 2973, index: play.trace.length - 1 },
    ])
    expect(play.trace.at(-1)).toMatchObject({ kind: 'emit', node: 'client-1' })
    expect(play.step()).toBe('broken')
  })
  it('asks for the traitor’s next word, and says what each would be', () => {
    const play = played(`${DUEL}&say=server-5:f`)
    expect(play.toEnd()).toBe('asks')
    const { question } = play
    expect(question).toMatchObject({ node: 'server-5', body: { kind: 'try', attempt: 1 } })
    expect(question!.answers.map(({ word, says }) => [word.letter, says])).toEqual([
      ['f', [{ kind: 'status', attempt: 1, locked: false }]],
      ['l', [{ kind: 'status', attempt: 1, locked: true }]],
      ['-', []],
      // It has just said FREE: honesty is to say so.
      ['h', [{ kind: 'status', attempt: 1, locked: true }]],
    ])
    expect(play.spoken('server-5')).toBe(1)
    expect(play.nodes.find(({ id }) => id === 'server-5')).toEqual({ id: 'server-5', played: true, lies: true })
  })
  it('with a traitor that only tells the truth is a run of honest servers', () => {
    const honest = played(DUEL)
    const truthful = played(`${DUEL}&say=server-5:*h`)
    expect([honest.toEnd(), truthful.toEnd()]).toEqual(['over', 'over'])
    expect(truthful.hash).toBe(honest.hash)
  })
  it('says a message that somebody edited, and nothing where it is none', () => {
    // kind 1 = status, attempt 1, not locked: the same as FREE.
    const free = played(`${DUEL}&say=server-5:~AQEA.f`)
    expect(free.toEnd()).toBe('broken')
    const plain = played(`${DUEL}&say=server-5:ff`)
    plain.toEnd()
    expect(free.hash).toBe(plain.hash)
    const nonsense = played(`${DUEL}&say=server-5:~__8.q*-`)
    expect(nonsense.toEnd()).toBe('over')
    expect(nonsense.outside).toEqual([
      'server-5: the word ~__8 is no message of this protocol: it never leaves the traitor.',
      "server-5: 'q' is no word of this traitor: it says nothing instead.",
    ])
  })
  it('keeps the state of each node after each event', () => {
    const play = played(`${DUEL}&say=server-5:ff`)
    play.toEnd()
    const entered = play.trace.findIndex(({ kind, node }) => kind === 'emit' && node === 'client-2')
    const state = (index: number) => JSON.parse(play.stateAt(index, 'client-2')!) as { phase: string; statuses: object }
    expect(state(entered)).toMatchObject({ phase: 'inside' })
    expect(state(entered - 2)).toMatchObject({ phase: 'trying', attempt: 1 })
    expect(Object.keys(state(entered).statuses)).toHaveLength(4)
    expect(play.stateAt(0, 'client-2')).toBeUndefined()
  })
  it('says what cannot be run, in a sentence', () => {
    expect(playAddress('run=tea')).toMatch(/nothing to play called 'tea'; there is: lock-printed, lock/)
    expect(playAddress('run=lock.s-tea')).toMatch(/lock has no story 'tea'; it has: duel/)
    expect(playAddress('run=lock.x-tea')).toMatch(/no planted bug 'tea'; it has: one-grant-too-few/)
    expect(playAddress('run=lock.n3.b1')).toMatch(/3 servers/)
    expect(openRun({ name: 'lock-printed', servers: 1, liars: 2 })).toMatch(/cannot run with servers: 1/)
    expect(playAddress('run=slots.n2', allPlaygrounds)).toMatch(/three members at least/)
  })
  it('of any size and playground is a run or a sentence, never an exception', () => {
    for (const { name } of allPlaygrounds) {
      for (let n = 0; n <= 12; n++) {
        for (const b of [0, 1, 4, 12]) {
          const play = playAddress(`run=${name}.n${n}.b${b}&only=none`, allPlaygrounds)
          expect(typeof play === 'string' ? play.length : play.status).toSatisfy(
            (told: unknown) => told === 'on' || Number(told) > 20,
          )
        }
      }
    }
  })
  it('of another build says that it is another run', () => {
    const play = played(`${DUEL}&h=00000000&c=0.0.9`)
    play.toEnd()
    expect(hashNote(play)).toBe('made by another version (0.0.9); this build gives another run.')
    const own = played(`${DUEL}&h=${play.hash.slice(0, 8)}`)
    own.toEnd()
    expect(hashNote(own)).toBeUndefined()
  })
})

describe('acts', () => {
  const withActs = (...acts: string[]) => played(`${DUEL}&say=server-5:ff*h&do=${acts.join(';')}`)
  const arrivals = (play: Play) =>
    play.trace.flatMap(({ kind, from, node, nth, at }) => (kind === 'deliver' ? [`${from}>${node}#${nth}@${at}`] : []))

  it('hold one message and disturb no other', () => {
    const before = played(DUEL)
    const after = played(`${DUEL}&do=hold:client-1>server-3#1:250`)
    for (const play of [before, after]) for (let i = 0; i < 40; i++) play.step()
    const one = before.trace.find(({ from, node, nth }) => from === 'client-1' && node === 'server-3' && nth === 1)!
    const other = after.trace.find(({ from, node, nth }) => from === 'client-1' && node === 'server-3' && nth === 1)!
    expect(other.at - one.at).toBe(250)
    const tries = (play: Play) => arrivals(play).filter(name => name.includes('client-2>') && name.includes('#1@'))
    expect(tries(after)).toEqual(tries(before))
  })
  it('drop a message: it is told as lost', () => {
    const play = withActs('drop:client-1>server-3#1')
    play.toEnd()
    expect(arrivals(play).some(name => name.startsWith('client-1>server-3#1@'))).toBe(false)
    expect(play.lost).toEqual([
      { from: 'client-1', to: 'server-3', nth: 1, sentAt: 1000, what: 'try attempt=1', dropped: true },
    ])
    expect(play.outside).toEqual(['drop:client-1>server-3#1: the promise is not made for this.'])
  })
  it('let a message arrive twice', () => {
    const play = withActs('twice:client-1>server-3#1:100')
    play.toEnd()
    const times = arrivals(play).filter(name => name.startsWith('client-1>server-3#1@'))
    expect(times.map(name => Number(name.split('@')[1]))).toEqual([expect.any(Number), expect.any(Number)])
    expect(Number(times[1]!.split('@')[1]) - Number(times[0]!.split('@')[1])).toBe(100)
  })
  it('cut a link, one way, for a while', () => {
    const play = withActs('cut:client-1>server-3@500+2000')
    play.toEnd()
    expect(play.lost).toMatchObject([{ from: 'client-1', to: 'server-3', dropped: false }])
  })
  it('crash, lose, pause and slow a server; each can be switched off', () => {
    const kinds = (play: Play) => {
      play.toEnd()
      return play.trace
        .filter(({ node, kind }) => node === 'server-1' && !['deliver', 'start'].includes(kind))
        .map(({ kind }) => kind)
    }
    expect(kinds(withActs('crash:server-1@500+800'))).toEqual(['crash', 'restart'])
    expect(kinds(withActs('lose:server-1@500+800'))).toEqual(['crash', 'restart'])
    expect(kinds(withActs('pause:server-1@500+800'))).toEqual(['pause', 'resume'])
    expect(kinds(withActs('-crash:server-1@500+800'))).toEqual([])
    const slow = withActs('slow:server-1@500+5000*3')
    slow.toEnd()
    expect(slow.trace.find(({ node, from }) => node === 'server-1' && from === 'client-1')!.at).toBeGreaterThan(2_500)
  })
  it('let a clock run faster', () => {
    const play = played('run=lock.n4.b1.s-duel&seed=1&do=drift:client-1*1.05;drift:client-2*1.2')
    play.toEnd()
    expect(play.status).toBe('over')
    expect(play.outside).toEqual(['drift:client-2*1.2: the promise is made for clocks within 5 %.'])
    const plain = played('run=lock.n4.b1.s-duel&seed=1')
    plain.toEnd()
    expect(play.hash).not.toBe(plain.hash)
  })
  it('let a user do something, or die', () => {
    const play = played(
      'run=lock.n4.b1.s-duel&seed=1&do=do:client-2:try@3000000;crash:client-1@4000000+1;do:client-9:use@5;do:client-1:sing@6',
    )
    play.toEnd()
    const commands = play.trace.filter(({ kind, node }) => kind === 'command' && node === 'client-2')
    expect(commands.some(({ at }) => at === 3_000_000)).toBe(true)
    expect(play.trace.some(({ kind, node, at }) => kind === 'crash' && node === 'client-1' && at === 4_000_000)).toBe(
      true,
    )
    expect(play.nodes.map(({ id }) => id)).toContain('client-1#2')
    expect(play.outside).toEqual([
      "client-9 cannot do 'use'; there is: use, long, try, once.",
      "client-1 cannot do 'sing'; there is: use, long, try, once.",
      'there is no client-9 in this run.',
    ])
  })
  it('beyond what the promise is made for are said to be so', () => {
    const late = withActs('hold:client-1>server-3#1:9000', 'pause:server-9@1+1', 'pause:server-1@400000+5')
    late.toEnd()
    expect(late.outside).toEqual([
      'pause:server-9@1+1: the promise is not made for this.',
      'pause:server-1@400000+5: the promise is not made for this.',
      'pause:server-1@400000+5: everything is healed at 400 ms, so this does nothing.',
      expect.stringMatching(/^hold:client-1>server-3#1:9000: it takes 10\.\d+ ms, and the promise is made for 4\.$/),
      'there is no server-9 in this run.',
    ])
    const two = played(`${DUEL}&say=server-5:,server-4:,client-1:f`)
    expect(two.outside).toEqual([
      expect.stringMatching(/^client-1 cannot be played here; server-1, .* can\.$/),
      '2 traitors, and the promise is made for 1 at most.',
    ])
  })
})

describe('limits', () => {
  it('a run that does not end is stopped, and what was reached can be looked at', () => {
    const opened = openRun({ name: 'lock', servers: 4, liars: 1 })
    if (typeof opened === 'string') throw new Error(opened)
    const { scenario } = opened
    const spinning = {
      ...scenario,
      stage: (...given: Parameters<typeof scenario.stage>) => {
        const [world] = given
        const spin = () => world.at(world.now, spin)
        world.at(1, spin)
        return scenario.stage(...given)
      },
    }
    const spec: RunSpec = { run: { name: 'lock' }, seed: 1, acts: [], say: {} }
    const play = new Play(spec, { ...opened, scenario: spinning })
    expect(play.toEnd()).toBe('over')
    expect(play.stopped).toBe('events')
    expect(play.stateAt(play.trace.length - 1, 'server-1')).toMatch(/^\{/)
  })
  it('a run of the printed lock ends after a minute', () => {
    const play = played('run=lock-printed.n6.b1&seed=1')
    expect(play.toEnd()).toBe('over')
    expect([play.stopped, play.now]).toEqual(['time', 60_000_000])
  })
  it('a machine that throws is a broken promise', () => {
    const opened = openRun({ name: 'lock', servers: 4, liars: 1, story: 'duel' })
    if (typeof opened === 'string') throw new Error(opened)
    const { scenario } = opened
    const failing = {
      ...scenario,
      stage: (...given: Parameters<typeof scenario.stage>) => {
        const [world] = given
        world.at(5_000, () => {
          throw new Error('out of paper')
        })
        return scenario.stage(...given)
      },
    }
    const play = new Play({ run: { name: 'lock' }, seed: 1, acts: [], say: {} }, { ...opened, scenario: failing })
    expect(play.toEnd()).toBe('broken')
    expect(play.violations).toMatchObject([{ what: 'a machine threw: out of paper', at: 5_000 }])
  })
  it('more acts than the most are not done', () => {
    const acts = Array.from({ length: 501 }, (_, place) => readAct(`pause:server-1@${place + 1}+1`))
    const spec = { run: { name: 'lock', story: 'duel' }, seed: 1, acts, say: {} } as RunSpec
    const play = playSpec(spec) as Play
    play.toEnd()
    expect(play.trace.filter(({ kind }) => kind === 'pause')).toHaveLength(500)
  })
})
