// How soon a group of 32 members knows that its coordinator was killed, and has another, at default settings. The
// coordinator is a process of its own, the others share a few: two cores carry no 32 processes. What a member costs at
// rest, and how fast forged claims are refused, is counted and timed by the lab (membership-rest, forged-claims) and by
// bench/membership-rest.ts. npm run bench -- membership [MEMBERS [ROUNDS]]. Targets: noticed by all within 3 s; an
// election within 250 ms from when nobody leads any more.

import { loadavg } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { initGroup } from '../src/runtime/setup/group.ts'
import { median, type Print, printTable, show } from './support/figures.ts'
import { benchProgram, freePorts, makeFolder, type Running, start, stop, stopAll, until } from './support/processes.ts'

interface Round {
  /** From the kill until every other member calls it failed. */
  readonly noticedMs: number
  /** From the kill until the first member finds that nobody leads: what is left of the last promise. */
  readonly vacantMs: number
  /** From there until another leads. */
  readonly electedMs: number
  /** From the kill until every other member knows the new one. */
  readonly knownMs: number
}

interface MembershipResult extends Round {
  readonly members: number
  readonly rounds: number
}

const MEMBERS_DEFAULT = 32
const ROUNDS_DEFAULT = 3
/** Members listen this far above the group's first port. */
const MEMBERS_ABOVE = 200
/** The others share this many processes: one for each core. */
const PROCESSES = 2
/** Everybody has asked everybody once, one each 300 ms, and is connected: so it is in a group that has run for a while. */
const REST_PER_MEMBER_MS = 330
const PATIENCE_MS = 120_000
/** On a busy machine the coordinator may lose its place while all rest: that round is begun again, up to this many times. */
const TRIES_MAX = 5

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<MembershipResult> {
  const [members, count] = [Number(args[0] ?? MEMBERS_DEFAULT), Number(args[1] ?? ROUNDS_DEFAULT)]
  const rounds: Round[] = []
  try {
    for (let round = 0; round < count; round++) {
      rounds.push(await measureSoon(members))
      const { noticedMs, vacantMs, electedMs, knownMs } = rounds.at(-1)!
      const shown = [noticedMs, vacantMs, electedMs, knownMs].map(show).join(', ')
      print(`round ${round + 1}: ${shown} ms, at a load of ${loadavg()[0]!.toFixed(1)}`)
    }
  } finally {
    await stopAll()
  }
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  const result = {
    members,
    rounds: count,
    noticedMs: of(round => round.noticedMs),
    vacantMs: of(round => round.vacantMs),
    electedMs: of(round => round.electedMs),
    knownMs: of(round => round.knownMs),
  }
  printTable(
    print,
    [`${members} members, median of ${count}`, 'measured', 'target'],
    [
      ['killed to noticed by all, ms', show(result.noticedMs), '3,000'],
      ['killed to nobody leads, ms', show(result.vacantMs), ''],
      ['nobody leads to another leads, ms', show(result.electedMs), '250'],
      ['killed to all know the next, ms', show(result.knownMs), ''],
    ],
  )
  return result
}

interface Line {
  readonly at: number
  readonly who?: string
  readonly what: 'joined' | 'standing' | 'gone' | 'sees'
  readonly name?: string
  readonly term?: number
}

const VICTIM = 'member-1'

/** The same clock as the members'. */
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000

function linesOf(hosts: readonly Running[]): Line[] {
  return hosts.flatMap(host => {
    const whole = host.output().split('\n').slice(0, -1)
    return whole.filter(line => line.startsWith('{')).map(line => JSON.parse(line) as Line)
  })
}

async function measureSoon(members: number): Promise<Round> {
  for (let tries = 1; ; tries++) {
    try {
      return await measure(members)
    } catch (error) {
      if (tries === TRIES_MAX) throw error
    } finally {
      await stopAll()
    }
  }
}

async function measure(members: number): Promise<Round> {
  const folder = await makeFolder('membership')
  const basePort = (await freePorts(members)) - MEMBERS_ABOVE
  const group = await initGroup({ dir: path(folder, 'group'), members, servers: 1, crashes: 0, basePort })
  const [victimFolder, ...others] = group.memberFolders
  const victim = start(process.execPath, [benchProgram('coordinator'), victimFolder!])
  await until('the coordinator has joined', () => victim.output().includes('joined'), PATIENCE_MS)
  const share = Math.ceil(others.length / PROCESSES)
  const hosts = Array.from({ length: PROCESSES }, (_, place) => {
    const folders = others.slice(place * share, (place + 1) * share)
    const args = [benchProgram('members'), String(place * share), ...folders]
    return start(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  })
  await victimLeads(hosts, members)
  const before = linesOf(hosts).length
  await stop(victim, 'SIGKILL')
  const killed = millis()
  await until('all know the next coordinator', () => isOver(hosts, members, killed), PATIENCE_MS)
  if (linesOf(hosts).length === before) throw new Error('nothing was seen')
  return roundOf(linesOf(hosts), killed)
}

/** Whom each member saw last. */
function leaders(lines: readonly Line[]): Map<string, string> {
  return new Map(lines.filter(({ what }) => what === 'sees').map(({ who, name }) => [who!, name!]))
}

/** The others stand only when it leads and all know: nobody else could be elected before. */
async function victimLeads(hosts: readonly Running[], members: number): Promise<void> {
  const count = (what: string) => linesOf(hosts).filter(line => line.what === what).length
  const known = () => {
    const seen = [...leaders(linesOf(hosts)).values()]
    return seen.length === members - 1 && seen.every(name => name === VICTIM)
  }
  await until('all have joined', () => count('joined') === PROCESSES, PATIENCE_MS)
  await until('all know the coordinator', known, PATIENCE_MS)
  for (const { child } of hosts) child.stdin!.write('stand\n')
  await until('all stand', () => count('standing') === PROCESSES, PATIENCE_MS)
  await sleep(REST_PER_MEMBER_MS * members)
  if (!known()) throw new Error('the coordinator lost its place at rest: this machine has too much else to do')
}

function isOver(hosts: readonly Running[], members: number, killed: number): boolean {
  const lines = linesOf(hosts)
  const next = [...leaders(lines).values()].filter(isNext).length
  const noticed = new Set(lines.filter(({ what, name, at }) => what === 'gone' && name === VICTIM && at > killed))
  return next === members - 1 && noticed.size === members - 1
}

function isNext(name: string | undefined): boolean {
  return name !== '' && name !== VICTIM
}

function roundOf(lines: readonly Line[], killed: number): Round {
  const after = lines.filter(({ at }) => at > killed)
  const sees = after.filter(({ what }) => what === 'sees')
  const [vacant, next] = [sees.filter(({ name }) => name === ''), sees.filter(({ name }) => isNext(name))]
  const gone = after.filter(({ what, name }) => what === 'gone' && name === VICTIM)
  const first = (found: readonly Line[]) => Math.min(...found.map(({ at }) => at)) - killed
  // The coordinator knows it first.
  const leading = next.filter(({ who, name }) => who === name)
  return {
    noticedMs: Math.max(...gone.map(({ at }) => at)) - killed,
    vacantMs: first([...vacant, ...next]),
    electedMs: first(leading) - first([...vacant, ...next]),
    knownMs: Math.max(...new Map(next.map(({ who, at }) => [who, at])).values()) - killed,
  }
}
