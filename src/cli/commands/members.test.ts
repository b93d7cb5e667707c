// The commands of members, against members that run in this process over real sockets.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { freePorts, waitFor } from '../../../test/support/processes.ts'
import { join } from '../../client/join.ts'
import type { Caught } from '../../client/peers/caught.ts'
import type { JoinedGroup } from '../../client/peers/joined-group.ts'
import { initGroup, type NewGroup } from '../../runtime/setup/group.ts'
import { coordinatorCommand, newest } from './coordinator.ts'
import { joinCommand } from './join.ts'
import { leadCommand, readAttributes } from './lead.ts'
import { memberCommand } from './member.ts'
import { changes, describeMembers, membersCommand, oneView, tallyCaught } from './members.ts'

const commands = [membersCommand, coordinatorCommand, memberCommand, joinCommand, leadCommand]
const run = (...line: string[]) =>
  runCommand(
    commands.map(make => make()),
    line,
  )
/** One that ended and that nobody took note of is not running. */
const isRunning = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X')
  return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1))
}
let dir: string
let made: NewGroup
let members: JoinedGroup[] = []
let admin: string

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-members-cli-'))
  // Members listen two hundred above.
  const basePort = (await freePorts(4)) - 200
  const clients = ['admin', 'visitor']
  made = await initGroup({ dir: path(dir, 'group'), members: 3, servers: 1, crashes: 0, basePort, clients })
  admin = made.clientFolders[0]!
  members = await Promise.all(made.memberFolders.map(config => join({ config, attributes: { battery: 0.5 } })))
  await waitFor('all see each other', () => members.every(member => member.list().length === 3))
})
afterAll(async () => {
  await Promise.all(members.map(member => member.close()))
  await rm(dir, { recursive: true, force: true })
})

describe('coterie members', () => {
  it('shows who is here', async () => {
    const { out, code } = await run('members', '--config', admin)
    expect(code).toBe(0)
    expect(out.match(/member-\d {2}alive/g)).toHaveLength(3)
    const seen = JSON.parse((await run('members', '--json', '--config', admin)).out)
    expect(seen.map(({ name, voter }: { name: string; voter: boolean }) => [name, voter])).toEqual([
      ['member-1', true],
      ['member-2', true],
      ['member-3', true],
    ])
  })
  it('says who was caught, at what, and who says so', async () => {
    const [witness] = members
    // What gossip and elections call it with: the two places that catch somebody.
    const caught = (witness as unknown as { caught: Caught }).caught
    caught.take('member-2', 'election', 'two-claims', 0)
    const { out, code } = await run('members', '--config', admin)
    expect(code).toBe(0)
    expect(out).toContain('! member-2 was caught: two-claims (election), says member-1')
    const seen = JSON.parse((await run('members', '--json', '--config', admin)).out)
    expect(seen[1].caught).toEqual([{ way: 'two-claims (election)', by: ['member-1'] }])
    expect(seen[0].caught).toBeUndefined()
  })
  it('counts each member once, and nobody about itself', () => {
    const answer = (member: string, name: string, ...ways: string[]) =>
      ({ member, members: [], coordinator: undefined, caught: [{ name, ways }] }) as const
    const answers = [answer('a', 'eve', 'forging (gossip)', 'forging (gossip)'), answer('b', 'eve', 'forging (gossip)')]
    expect(tallyCaught([...answers, answer('eve', 'eve', 'x'), answer('eve', 'a', 'y')])).toEqual([
      { name: 'a', way: 'y', by: ['eve'] },
      { name: 'eve', way: 'forging (gossip)', by: ['a', 'b'] },
    ])
  })
  it('says who is a guest', () => {
    const guest = {
      name: 'till-3',
      status: 'suspect',
      address: 'a:1',
      voter: false,
      attributes: { load: 0.12345 },
    } as const
    expect(describeMembers([guest])).toBe('  till-3  suspect  a:1 (guest)  load 0.123')
  })
  it('--watch tells of changes only', () => {
    const info = (name: string, load: number) =>
      ({ name, status: 'alive', address: 'a:1', voter: true, attributes: { load } }) as const
    const first = [info('a', 1), info('b', 1)]
    expect(changes([], first).map(({ change, name }) => [change, name])).toEqual([
      ['seen', 'a'],
      ['seen', 'b'],
    ])
    // As it is heard again: equal, and not the same.
    expect(changes(first, [info('a', 1), info('b', 1)])).toEqual([])
    expect(changes(first, [info('b', 2), info('c', 1)])).toEqual([
      { change: 'changed', ...info('b', 2) },
      { change: 'seen', ...info('c', 1) },
      { change: 'gone', ...info('a', 1) },
    ])
  })
  it('--watch hears on the member that it heard before, while that answers', () => {
    const told = (member: string) => ({ member, members: [{ name: member }], coordinator: undefined }) as never
    const view = oneView()
    const heard = (...members: string[]) => view(members.map(told))[0]!.name
    expect(heard('b', 'a')).toBe('b')
    expect(heard('a', 'b')).toBe('b')
    expect(heard('a', 'c')).toBe('a')
    expect(heard('b', 'a')).toBe('a')
  })
  it('--watch prints a line for each member, then nothing while nothing changes', async () => {
    const watched = run('members', '--watch', '--json', '--config', admin)
    await sleep(1_500)
    process.emit('SIGTERM')
    const { out } = await watched
    const lines = out.trim().split('\n')
    expect(lines.slice(0, 3).map(line => JSON.parse(line).change)).toEqual(['seen', 'seen', 'seen'])
    expect(lines.slice(3).every(line => JSON.parse(line).change === 'changed')).toBe(true)
  })
  it("refuses a member's folder", async () => {
    const { err, code } = await run('members', '--config', made.memberFolders[0]!)
    expect(err).toMatch(/ask with a client's folder/)
    expect(code).toBe(2)
  })
})

describe('coterie coordinator', () => {
  it('says that nobody leads, then who does', async () => {
    const none = await run('coordinator', 'jobs', '--config', admin)
    expect(none.out).toBe("nobody leads 'jobs', as far as 3 members can tell\n")
    expect(none.code).toBe(1)
    await using _ = await members[1]!.coordinator('jobs', {
      lead: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true })),
    })
    const known = () => members.every(member => member.coordinatorNow('jobs').coordinator === 'member-2')
    await waitFor('member-2 leads', known)
    const { out, code } = await run('coordinator', 'jobs', '--config', admin)
    expect(out).toMatch(/^member-2 leads 'jobs' in term \d+, as 3 of 3 members know\n$/)
    expect(code).toBe(0)
  })
  it('the newest term counts, and who is out of date does not', () => {
    const looked = (member: string, term: number, coordinator: string | undefined) => {
      return { member, members: [], coordinator: { name: 'jobs', term, coordinator } }
    }
    const found = newest([looked('a', 3, 'a'), looked('b', 4, 'b'), looked('c', 4, 'b'), looked('d', 4, undefined)])
    expect(found).toEqual({ coordinator: 'b', term: 4, known: 2, asked: 4 })
    expect(newest([looked('a', 3, undefined)])).toEqual({ coordinator: undefined, term: 3, known: 1, asked: 1 })
  })
})

describe('coterie member', () => {
  it('add makes a guest, admit lets it vote, expel sends it away', async () => {
    const port = made.group.membership.members.at(-1)!.port + 1
    const added = await run('member', 'add', 'till-4', '--port', String(port), '--group', made.dir, '--json')
    expect(added.code).toBe(0)
    await using guest = await join({ config: JSON.parse(added.out).folder })
    await waitFor('the guest is seen', () => members.every(member => member.list().length === 4))
    await using _ = await members[0]!.coordinator('jobs', {
      lead: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true })),
    })
    expect(await run('member', 'admit', 'till-4', '--config', admin)).toMatchObject({ code: 0, out: 'till-4 votes\n' })
    expect(members[1]!.list().find(({ name }) => name === 'till-4')?.voter).toBe(true)
    const gone = await run('member', 'expel', 'till-4', '--config', admin)
    expect(gone).toMatchObject({ code: 0, out: 'till-4 votes no longer\n' })
    await waitFor('the guest knows', () => guest.list().find(({ name }) => name === 'till-4')?.voter === false)
  })
  it('is refused for a client that is no operator, and for a member that nobody has seen', async () => {
    const visitor = await run('member', 'expel', 'member-3', '--config', made.clientFolders[1]!)
    expect(visitor.err).toMatch(/visitor is not an operator/)
    expect(visitor.code).toBe(1)
    const unknown = await run('member', 'admit', 'till-9', '--config', admin)
    expect(unknown.err).toMatch(/"till-9" cannot be admitted: no member of that name/)
    const nobody = await run('member', 'expel', 'nosuch', '--config', admin)
    expect(nobody).toMatchObject({ code: 1, out: '' })
    expect(nobody.err).toMatch(/"nosuch" cannot be expelled: no member of that name/)
    expect(members[0]!.list().filter(({ voter }) => voter)).toHaveLength(3)
  })
  it.each([['server-1'], ['member-2'], ['Till']])('add refuses the name %s', async name => {
    expect(await run('member', 'add', name, '--port', '7650', '--group', made.dir)).toMatchObject({ code: 2, out: '' })
  })
})

describe('coterie lead and coterie join', () => {
  it('take attributes that are numbers, and no others', () => {
    expect(readAttributes(['battery=0.5', 'heat=-3'])).toEqual({ battery: 0.5, heat: -3 })
    for (const wrong of ['battery', 'battery=', 'battery=full', 'Battery=1', '=1', 'a=1e9'])
      expect(() => readAttributes([wrong])).toThrow(/a name, "=" and a number/)
  })
  it.each([
    ['join', ['join', '--attribute', 'battery=full'], /a name, "=" and a number/],
    [
      'lead',
      ['lead', 'jobs', '--attribute', 'battery', '--', 'true'],
      /--attribute "battery" must be a name, "=" and a/,
    ],
    ['join', ['join', '--log', 'loud'], /'--log <level>' argument 'loud' is invalid. It must be debug, info/],
    ['lead', ['lead', 'jobs', '--log', 'wran', '--', 'true'], /Did you mean warn\?/],
  ])('%s refuses them with exit code 2', async (_, line, sentence) => {
    const [command, ...rest] = line
    const { err, code } = await run(command!, '--config', made.memberFolders[0]!, ...rest)
    expect(err).toMatch(sentence)
    expect(code).toBe(2)
  })
  it.each([['join'], ['lead']])("%s refuses a client's folder, and one that is in use", async command => {
    const rest = command === 'lead' ? ['jobs', '--', 'true'] : []
    const client = await run(command, '--config', admin, ...rest)
    expect(client).toMatchObject({ code: 2, out: '' })
    expect(client.err).toMatch(/join with a member's folder/)
    const twice = await run(command, '--config', made.memberFolders[0]!, ...rest)
    expect(twice).toMatchObject({ code: 1, out: '' })
    expect(twice.err).toMatch(/in use/)
  })
  it('lead runs the command in its term, and ends with its exit code; a place must have a name that can be', async () => {
    const basePort = (await freePorts(1)) - 200
    const shape = { members: 1, servers: 1, crashes: 0, basePort }
    const [config] = (await initGroup({ dir: path(dir, 'alone'), ...shape })).memberFolders
    const wrong = await run('lead', 'Jobs', '--config', config!, '--', 'true')
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toMatch(/lower-case letters/)
    const script = 'process.exit(process.env.COTERIE_COORDINATOR === "jobs" ? 6 + Number(process.env.COTERIE_TERM) : 1)'
    expect(await run('lead', 'jobs', '--config', config!, '--', process.execPath, '-e', script)).toMatchObject({
      code: 7,
    })
    expect(await run('lead', 'jobs', '--config', config!, '--', '/no/such/program')).toMatchObject({ code: 127 })
    // What the command started and left has ended before anybody else can lead.
    const left = path(dir, 'left')
    const leaving = `sleep 60 & echo $! > '${left}'; exit 4`
    expect(await run('lead', 'jobs', '--config', config!, '--', 'bash', '-c', leaving)).toMatchObject({ code: 4 })
    expect(await isRunning(Number(await readFile(left, 'utf8')))).toBe(false)
  })
})
