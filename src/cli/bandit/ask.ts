// What `coterie bandit best` and `maximise` do: become a member, ask for a run, and print its answer.

import type { BanditHandle, BanditResult } from '../../client/bandits/run.ts'
import { join } from '../../client/join.ts'
import type { JoinedGroup } from '../../client/peers/joined-group.ts'
import { SettingsError } from '../../core/index.ts'
import { createLog } from '../../runtime/json-log.ts'
import { colour, print, warn } from '../output.ts'
import { printable } from '../printable.ts'

export interface AskLine {
  readonly config?: string
  readonly arms?: readonly string[]
  readonly budget?: number
  readonly shuffler?: string
  readonly comparator?: string
  readonly algorithm?: string
  readonly batch?: number
  readonly rewards?: readonly [number, number]
  readonly timeout?: number
  readonly audit?: boolean
  readonly log: string
  readonly json?: boolean
}

export async function askBest(name: string, line: AskLine): Promise<void> {
  await asking(name, line, async (group, options) => {
    const { algorithm = 'successive-rejects' } = line
    if (algorithm !== 'successive-rejects' && algorithm !== 'sequential-halving') throw otherAlgorithm(algorithm)
    const result = await followed(group.bestArm({ ...options, algorithm }))
    print(line.json, result, () => `the best arm is ${colour.bold(printable(result.best))}\n${about(result)}`)
  })
}

export async function askMaximise(name: string, line: AskLine): Promise<void> {
  await asking(name, line, async (group, options) => {
    const { algorithm = 'ucb1', batch } = line
    if (algorithm !== 'ucb1' && algorithm !== 'thompson') throw otherAlgorithm(algorithm)
    const result = await followed(group.maximise({ ...options, algorithm, ...(batch !== undefined && { batch }) }))
    print(line.json, result, () => `the sum of all rewards is ${colour.bold(String(result.sum))}\n${about(result)}`)
  })
}

const otherAlgorithm = (algorithm: string) =>
  new SettingsError(
    `algorithm is ${JSON.stringify(algorithm)}; best takes successive-rejects or sequential-halving, maximise ucb1 or thompson.`,
  )

function about({ spent, rounds, told, audit }: BanditResult): string {
  const log = audit?.file === undefined ? '' : `\nthis member's log: ${printable(audit.file)}`
  return `${spent} pulls in ${rounds} rounds\n${told}${log}`
}

type Options = Parameters<JoinedGroup['bestArm']>[0]

async function asking(
  name: string,
  line: AskLine,
  work: (group: JoinedGroup, options: Omit<Options, 'algorithm'>) => Promise<void>,
): Promise<void> {
  const { config, arms, budget, shuffler, comparator, rewards, timeout, audit = true } = line
  if (config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  if (arms === undefined) throw new SettingsError('which arms? Name them with --arms, with commas between.')
  if (budget === undefined) throw new SettingsError('how many pulls? Name them with --budget.')
  if (shuffler === undefined || comparator === undefined) {
    throw new SettingsError('which members shuffle and compare? Name them with --shuffler and --comparator.')
  }
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort()).once('SIGTERM', () => stopped.abort())
  await using group = await join({ config, log: createLog('member', line.log) })
  await work(group, {
    name,
    arms,
    budget,
    shuffler,
    comparator,
    signal: stopped.signal,
    audit: audit ? 'owner' : false,
    ...(rewards && { rewards }),
    ...(timeout !== undefined && { timeout }),
  })
}

/** Now and then how far it is, for the person at the terminal. */
async function followed<Result extends BanditResult>(run: BanditHandle<Result>): Promise<Result> {
  const follow = async () => {
    for await (const { round, spent, budget } of run) warn(`round ${round}: ${spent} of ${budget} pulls`)
  }
  follow().catch(() => {})
  return run.result
}
