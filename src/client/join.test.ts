// Members over real sockets, in one process: who is here, who leads, who may vote, and who is refused.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePorts, waitFor } from '../../test/support/processes.ts'
import { SettingsError, Unavailable } from '../core/index.ts'
import { NAMES_MAX } from '../election/wire.ts'
import type { RunningMember } from '../runtime/member.ts'
import { memberMetrics } from '../runtime/metrics/names.ts'
import { addMember, initGroup, type NewGroup } from '../runtime/setup/group.ts'
import { join } from './join.ts'
import { openAsker } from './peers/asking.ts'
import type { JoinedGroup } from './peers/joined-group.ts'
import type { CoordinatorInfo } from './peers/leadership.ts'
import type { Term } from './peers/term.ts'

const ranking = [{ name: 'battery', best: 'large', tolerance: 0 }] as const
let dir: string
let groups = 0
const open: JoinedGroup[] = []

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-join-'))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map(member => member.close()))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function newGroup(members: number): Promise<NewGroup> {
  // Members listen two hundred above.
  const basePort = (await freePorts(members + 1)) - 200
  return initGroup({ dir: path(dir, `group-${++groups}`), members, basePort, servers: 1, crashes: 0 })
}

async function enter(config: string, battery: number): Promise<JoinedGroup> {
  const member = await join({ config, attributes: { battery }, ranking })
  open.push(member)
  return member
}

/** Everybody stands; the last has the fullest battery. */
async function threeThatStand() {
  const made = await newGroup(3)
  const members = await Promise.all(made.memberFolders.map((folder, place) => enter(folder, place + 1)))
  const terms: Term[] = []
  const lead = (term: Term) => {
    terms.push(term)
    return new Promise<void>(resolve => term.signal.addEventListener('abort', () => resolve(), { once: true }))
  }
  const candidacies = await Promise.all(members.map(member => member.coordinator('jobs', { lead })))
  const leader = () => members.find(member => member.coordinatorNow('jobs').coordinator === member.name)
  await waitFor('somebody leads, and all know', () => {
    const known = members.map(member => member.coordinatorNow('jobs').coordinator)
    return known[0] !== undefined && new Set(known).size === 1
  })
  return { made, members, candidacies, terms, leader }
}

describe('a member whose node ends', () => {
  it('tells everybody who waits why, closes, and lets go of its port and store', async () => {
    const made = await newGroup(1)
    const [folder] = made.memberFolders
    const member = await enter(folder!, 1)
    const slots = member.slots('desks', { slots: ['a'] })
    const heard = Promise.allSettled([
      slots.request(),
      member.aggregate('battery'),
      member.coordinatorOf('jobs').next(),
      (async () => {
        for await (const _ of member.members());
      })(),
    ])
    // What no caller can say any more, and what ends a node: an order that its own words have no room for.
    const { node } = member as unknown as { node: RunningMember }
    const body = { kind: 'open', settings: { name: 'other', slots: [5] } } as never
    node.command({ part: 'slots', body })
    const [seat, , , list] = await heard
    expect(seat).toMatchObject({ status: 'rejected' })
    expect(String((list as PromiseRejectedResult).reason)).toContain('this member ended:')
    await member.close()
    await expect(member.aggregate('battery')).rejects.toThrow(Unavailable)
    await (await enter(folder!, 1)).close()
  })
})

describe('members', () => {
  it('put their numbers into the registry that they are given', async () => {
    const made = await newGroup(1)
    const registry = new Registry()
    const member = await join({ config: made.memberFolders[0]!, ranking, metrics: { registry } })
    open.push(member)
    await member.coordinator('jobs', {
      lead: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve())),
    })
    const text = () => registry.metrics()
    await expect.poll(text, { timeout: 10_000 }).toContain('coterie_member_terms_won_total{node="member-1"} 1')
    expect(await text()).toMatch(/coterie_member_saves_total\{node="member-1"\} [1-9]/)
    expect(await text()).toMatch(/coterie_member_store_sync_seconds_count\{node="member-1"\} [1-9]/)
    const names = [...(await text()).matchAll(/^# TYPE coterie_(\S+)/gm)].map(([, name]) => name)
    expect(names).toEqual(Object.keys(memberMetrics))
  })
  it('see each other, with what each says of itself, and a member that says goodbye has left', async () => {
    const made = await newGroup(3)
    const [one, two, three] = await Promise.all(made.memberFolders.map((folder, place) => enter(folder, place)))
    await waitFor('all are here', () => one!.list().filter(({ status }) => status === 'alive').length === 3)
    await waitFor('attributes are known', () => one!.list().every(({ attributes }) => attributes.battery !== undefined))
    expect(one!.list().map(({ name, voter, attributes }) => [name, voter, attributes.battery])).toEqual([
      ['member-1', true, 0],
      ['member-2', true, 1],
      ['member-3', true, 2],
    ])
    two!.set({ battery: 7 })
    const seen = (async () => {
      for await (const members of one!.members()) {
        if (members.some(({ name, status }) => name === 'member-3' && status === 'left')) return members
      }
      throw new Error('the loop ended')
    })()
    await three!.close()
    const last = await seen
    expect(last.find(({ name }) => name === 'member-2')?.status).toBe('alive')
    await waitFor('the new value is known', () => one!.list()[1]!.attributes.battery === 7)
  })
  it('count themselves by gossip', async () => {
    const made = await newGroup(2)
    const [one] = await Promise.all(made.memberFolders.map((folder, place) => enter(folder, place + 1)))
    await waitFor('all are here', () => one!.list().length === 2)
    const found = await one!.aggregate('battery')
    expect(found.minimum).toBe(1)
    expect(found.maximum).toBe(2)
  })
})

describe('a loop over the members', () => {
  it('that is slower than they change gets the newest list, and not all of them', async () => {
    const made = await newGroup(1)
    const alone = await enter(made.memberFolders[0]!, 0)
    const lists = alone.members()
    await lists.next()
    for (let battery = 1; battery <= 20; battery++) alone.set({ battery })
    await waitFor('it has said so', () => alone.list()[0]?.attributes.battery === 20)
    const { value } = await lists.next()
    expect(value![0]!.attributes.battery).toBe(20)
    await lists.return(undefined)
  })
})

describe('a coordinator', () => {
  it('is one for all, and steps down before the next begins', async () => {
    const { members, candidacies, terms, leader } = await threeThatStand()
    const first = leader()!
    expect(terms.filter(term => term.leads())).toHaveLength(1)
    const [term] = terms
    expect(term!.signal.aborted).toBe(false)
    expect(term!.remaining()).toBeGreaterThan(0)
    await candidacies[members.indexOf(first)]!.close()
    expect(term!.signal.aborted).toBe(true)
    expect(term!.leads()).toBe(false)
    await waitFor('another leads', () => terms.length === 2)
    expect(terms[1]!.number).toBeGreaterThan(term!.number)
    await waitFor('it is known', () => leader() !== undefined && leader() !== first)
  })
  it('is known to a member that asks only later', async () => {
    const made = await newGroup(2)
    const [one, two] = await Promise.all(made.memberFolders.map((folder, place) => enter(folder, place)))
    await one!.coordinator('jobs', { lead: () => {} })
    await waitFor('it leads', () => one!.coordinatorNow('jobs').coordinator === 'member-1')
    // The other granted the term, and has been told of it by now or will be.
    await waitFor('the other knows', async () => {
      const { value } = await two!.coordinatorOf('jobs').next()
      return value?.coordinator === 'member-1'
    })
  })
  it('is not what a client’s question makes: however many names it asks for, members have room for their own', async () => {
    const made = await newGroup(2)
    const [one, two] = await Promise.all(made.memberFolders.map((folder, place) => enter(folder, place)))
    const asker = await openAsker(made.clientFolders[0]!)
    try {
      for (let place = 0; place < NAMES_MAX + 1; place++) {
        const answers = await asker.ask({ kind: 'coordinator', name: `made-up-${place}` }, 20_000)
        expect(answers[0]!.coordinator).toEqual({ name: `made-up-${place}`, term: 0, coordinator: undefined })
      }
    } finally {
      await asker.close()
    }
    await one!.coordinator('jobs', { lead: () => new Promise(() => {}) })
    await waitFor('it leads, and both know', () =>
      [one!, two!].every(member => member.coordinatorNow('jobs').coordinator === 'member-1'),
    )
  })
  it('that is alone is told before its time is over, and a minority sees none', async () => {
    const { members, terms, leader } = await threeThatStand()
    const first = leader()!
    const seen: CoordinatorInfo[] = []
    void (async () => {
      for await (const info of first.coordinatorOf('jobs')) seen.push(info)
    })()
    await Promise.all(members.filter(member => member !== first).map(member => member.close()))
    await waitFor('the term is over', () => terms[0]!.signal.aborted)
    // The signal comes before the end of what was promised.
    expect((terms[0]!.signal.reason as Error).message).toMatch(/term \d+ of 'jobs' is over: it could not be renewed/)
    await waitFor('it says that nobody leads', () => seen.at(-1)?.coordinator === undefined)
    expect(terms).toHaveLength(1)
  })
  it('whose lead fails ends its candidacy, and another follows', async () => {
    const made = await newGroup(1)
    const alone = await enter(made.memberFolders[0]!, 1)
    const candidacy = await alone.coordinator('jobs', {
      lead: () => Promise.reject(new Error('no paper')),
    })
    await expect(candidacy.ended).rejects.toThrow('no paper')
    await waitFor('nobody leads', () => alone.coordinatorNow('jobs').coordinator === undefined)
    await candidacy.close()
  })
})

describe('the list of those who vote', () => {
  it('takes in a guest when the members agree; then it can lead, and be sent away again', async () => {
    const { made, members, candidacies, leader } = await threeThatStand()
    const port = made.group.membership.members.at(-1)!.port + 1
    const guest = await enter(await addMember(made.dir, 'guest', '127.0.0.1', port), 9)
    await expect(members[0]!.admit('nobody')).rejects.toThrow(SettingsError)
    await waitFor('the guest is seen', () =>
      members.every(member => member.list().some(({ name }) => name === 'guest')),
    )
    expect(members[0]!.list().find(({ name }) => name === 'guest')?.voter).toBe(false)
    let led = 0
    await guest.coordinator('jobs', {
      lead: ({ signal }) => {
        led++
        return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
      },
    })
    expect(await Promise.all(members.map(member => member.admit('guest')))).toEqual([2, 2, 2])
    await waitFor('the guest knows', () => guest.list().find(({ name }) => name === 'guest')?.voter === true)
    expect(await members[0]!.admit('guest')).toBe(2)
    const first = leader()!
    // An election goes by what is seen at its moment: where gossip is late, another who stands may win it, and lead from
    // then on. So nobody else stands any more.
    await Promise.all(candidacies.filter((_, place) => members[place] !== first).map(candidacy => candidacy.close()))
    await first.close()
    await waitFor('the guest leads', () => led > 0)
    const voters = () => {
      const seen = left.map(member => member.list().filter(({ voter }) => voter))
      return seen.map(infos => infos.map(({ name }) => name).join(' '))
    }
    const left = members.filter(member => member !== first)
    expect(new Set(voters())).toEqual(new Set(['guest member-1 member-2 member-3']))
    await Promise.all([...left, guest].map(member => member.expel('guest')))
    await waitFor('the guest is out', () => voters().every(names => names === 'member-1 member-2 member-3'))
  })
})

describe('refusals', () => {
  let made: NewGroup
  beforeAll(async () => {
    made = await newGroup(1)
  })
  it.each([
    ['a server', () => made.serverFolders[0]!],
    ['a client', () => made.clientFolders[0]!],
  ])("%s's folder", async (_, folder) => {
    await expect(join({ config: folder() })).rejects.toThrow(/join with a member's folder/)
  })
  it('two processes on one folder', async () => {
    await enter(made.memberFolders[0]!, 1)
    await expect(join({ config: made.memberFolders[0]! })).rejects.toThrow(/use|running|lock/i)
  })
  it.each(['', 'Jobs', 'a b', '-jobs', 'x'.repeat(41)])('a place called %j', async name => {
    const member = await enter(made.memberFolders[0]!, 1)
    await expect(member.coordinator(name, { lead: () => {} })).rejects.toThrow(SettingsError)
    expect(() => member.coordinatorOf(name)).toThrow(/lower-case letters/)
  })
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('an attribute that is %s', async value => {
    const member = await enter(made.memberFolders[0]!, 1)
    expect(() => member.set({ battery: value })).toThrow(/must be a number/)
    await member.close()
    await expect(join({ config: made.memberFolders[0]!, attributes: { battery: () => value } })).rejects.toThrow(
      /must be a number/,
    )
  })
  it('one place twice, and anything after the end', async () => {
    const member = await enter(made.memberFolders[0]!, 1)
    await member.coordinator('jobs', { lead: () => {} })
    await expect(member.coordinator('jobs', { lead: () => {} })).rejects.toThrow(/already/)
    await member.close()
    await expect(member.coordinator('other', { lead: () => {} })).rejects.toThrow(Unavailable)
    await expect(member.aggregate('battery')).rejects.toThrow(Unavailable)
    expect(() => member.members()).toThrow(/left the group/)
  })
})
