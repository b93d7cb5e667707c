// How soon a group of 32 members knows that its coordinator was killed, and has another, at default settings. The
// coordinator is a process of its own, the others share one: two cores carry no 32 processes. What a member costs at
// rest, and how fast forged claims are refused, is counted and timed by the lab (membership-rest, forged-claims).
// npm run bench -- membership [MEMBERS [ROUNDS]]. Targets: noticed by all within 3 s; an election within 250 ms from
// when nobody leads any more.

import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from '../src/client/join.ts'
import type { JoinedGroup } from '../src/client/peers/joined-group.ts'
import { initGroup } from '../src/runtime/setup.ts'
import { median, type Print, printTable, show } from './support/figures.ts'
import { benchProgram, freePorts, makeFolder, start, stop, stopAll, until } from './support/processes.ts'
import { benchRanking } from './support/ranking.ts'

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
/** Distances have been measured, and everything that was said while members came has gone round. */
const REST_MS = 5_000
const PATIENCE_MS = 60_000

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<MembershipResult> {
  const [members, count] = [Number(args[0] ?? MEMBERS_DEFAULT), Number(args[1] ?? ROUNDS_DEFAULT)]
  const rounds: Round[] = []
  try {
    for (let round = 0; round < count; round++) rounds.push(await measure(members))
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

async function measure(members: number): Promise<Round> {
  const folder = await makeFolder('membership')
  const basePort = (await freePorts(members)) - MEMBERS_ABOVE
  const group = await initGroup({ dir: path(folder, 'group'), members, servers: 1, crashes: 0, basePort })
  const [victimFolder, ...others] = group.memberFolders
  const victim = start(process.execPath, [benchProgram('coordinator'), victimFolder!])
  await until('the coordinator has joined', () => victim.output().includes('joined'), PATIENCE_MS)
  const joined: JoinedGroup[] = []
  for (const [rank, config] of others.entries()) {
    joined.push(await join({ config, attributes: { rank }, ranking: benchRanking }))
  }
  await victimLeads(joined)
  const round = watch(joined)
  await stop(victim, 'SIGKILL')
  const found = await round
  await Promise.all(joined.map(member => member.close()))
  return found
}

/** The others stand only when it leads and all know: nobody else could be elected before. */
async function victimLeads(joined: readonly JoinedGroup[]): Promise<void> {
  const known = () => joined.every(member => leaderOf(member) === 'member-1')
  await until('all know the coordinator', known, PATIENCE_MS)
  await Promise.all(joined.map(member => member.coordinator('jobs', { lead: () => {} })))
  await sleep(REST_MS)
  if (!known()) throw new Error('the coordinator lost its place at rest: this machine has too much else to do')
}

function leaderOf(member: JoinedGroup): string | undefined {
  return member.coordinatorNow('jobs').coordinator
}

/** Looks every millisecond or so; the coordinator is killed right after this is called. */
async function watch(joined: readonly JoinedGroup[]): Promise<Round> {
  const killed = performance.now()
  const seen: { noticed?: number; vacant?: number; elected?: number; known?: number } = {}
  const calledFailed = (member: JoinedGroup) => member.list().some(info => info.name === 'member-1' && isGone(info))
  const isNext = (leader: string | undefined) => leader !== undefined && leader !== 'member-1'
  const end = killed + PATIENCE_MS
  while (performance.now() < end) {
    await sleep(1)
    const passed = performance.now() - killed
    const leaders = joined.map(leaderOf)
    if (leaders.includes(undefined) || leaders.some(isNext)) seen.vacant ??= passed
    if (leaders.some(isNext)) seen.elected ??= passed
    if (leaders.every(isNext)) seen.known ??= passed
    if (seen.noticed === undefined && joined.every(calledFailed)) seen.noticed = passed
    if (seen.noticed !== undefined && seen.known !== undefined) break
  }
  const { noticed = PATIENCE_MS, vacant = PATIENCE_MS, elected = PATIENCE_MS, known = PATIENCE_MS } = seen
  return { noticedMs: noticed, vacantMs: vacant, electedMs: elected - vacant, knownMs: known }
}

function isGone({ status }: { readonly status: string }): boolean {
  return status === 'failed' || status === 'left'
}
