// What `coterie bandit best` and `maximise` do: become a member, ask for a run, and print its answer.

import type { RingLevel } from '../../bandits/index.ts'
import type { BanditHandle, BanditResult, BestArmResult } from '../../client/bandits/run.ts'
import { join } from '../../client/join.ts'
import type { JoinedGroup } from '../../client/peers/joined-group.ts'
import type { AmongOptions, ThesisSearchAmongOptions } from '../../client/peers/run-options.ts'
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
  readonly privacy?: string
  readonly pace?: number
  readonly armTimeout?: number
  readonly onLost?: string
  readonly protocol?: string
  readonly values?: Readonly<Record<string, number>>
  readonly epsilon?: number
  readonly drawers?: readonly string[]
  readonly log: string
  readonly json?: boolean
}

export async function askBest(name: string, line: AskLine): Promise<void> {
  const show = async (run: BanditHandle<BestArmResult>) => {
    const result = await followed(run)
    print(line.json, result, () => `the best arm is ${colour.bold(printable(result.best))}\n${about(result)}`)
  }
  if (line.privacy !== 'thesis') checkNoThesis(line)
  else {
    checkSearch(line)
    return asking(line, async (group, wait) => show(group.bestArm(search(name, line, wait))))
  }
  await asking(line, async (group, wait) => {
    const { algorithm = 'successive-rejects' } = line
    if (algorithm !== 'successive-rejects' && algorithm !== 'sequential-halving') throw otherAlgorithm(algorithm)
    await show(group.bestArm({ ...among(name, line, wait), comparator: comparatorOf(line), algorithm }))
  })
}

export async function askMaximise(name: string, line: AskLine): Promise<void> {
  if (line.privacy !== 'thesis') checkNoThesis(line)
  await asking(line, async (group, wait) => {
    const { algorithm = 'ucb1', batch, privacy, protocol } = line
    if (algorithm !== 'ucb1' && algorithm !== 'thompson') throw otherAlgorithm(algorithm)
    const how = { algorithm, ...(batch !== undefined && { batch }) } as const
    const thesis = { privacy: 'thesis', ...(protocol && { protocol: protocol as RingLevel }) } as const
    const options = among(name, line, wait)
    const run =
      privacy === 'thesis'
        ? group.maximise({
            ...without(options, 'audit'),
            ...how,
            ...thesis,
            ...(line.comparator && { comparator: line.comparator }),
          })
        : group.maximise({ ...options, comparator: comparatorOf(line), ...how })
    const result = await followed(run)
    print(line.json, result, () => `the sum of all rewards is ${colour.bold(String(result.sum))}\n${about(result)}`)
  })
}

function without<From extends object, Name extends keyof From>(from: From, name: Name): Omit<From, Name> {
  const { [name]: _left, ...rest } = from
  return rest
}

const otherAlgorithm = (algorithm: string) =>
  new SettingsError(
    `algorithm is ${JSON.stringify(algorithm)}; best takes successive-rejects or sequential-halving, maximise ucb1 or thompson.`,
  )

function about({ spent, rounds, told, audit, lost = [], again = 0 }: BanditResult): string {
  const without = lost.length === 0 ? '' : `\nwithout ${lost.map(printable).join(', ')}, silent for too long`
  const tried = again === 0 ? '' : `, ${again} of them tried again`
  const log = audit?.file === undefined ? '' : `\nthis member's log: ${printable(audit.file)}`
  return `${spent} pulls in ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${tried}${without}\n${told}${log}`
}

/** Until when it waits. */
type Wait = Pick<AmongOptions, 'signal' | 'timeout'>

async function asking(line: AskLine, work: (group: JoinedGroup, wait: Wait) => Promise<void>): Promise<void> {
  const { config, timeout } = line
  if (config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  if (line.budget === undefined) throw new SettingsError('how many pulls? Name them with --budget.')
  if (line.privacy !== 'thesis') {
    comparatorOf(line)
    checkLost(line)
  }
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort()).once('SIGTERM', () => stopped.abort())
  await using group = await join({ config, log: createLog('member', line.log) })
  await work(group, { signal: stopped.signal, ...(timeout !== undefined && { timeout }) })
}

function comparatorOf({ shuffler, comparator }: AskLine): string {
  if (shuffler === undefined || comparator === undefined) {
    throw new SettingsError('which members shuffle and compare? Name them with --shuffler and --comparator.')
  }
  return comparator
}

/** The library would speak of its own options. */
function checkLost({ onLost, armTimeout, audit = true, rewards }: AskLine): void {
  if (onLost !== 'drop') return
  if (armTimeout === undefined) throw new SettingsError('--on-lost drop: say with --arm-timeout when an arm is lost.')
  if (audit) throw new SettingsError('--on-lost drop: such a run cannot be audited yet. Say --no-audit.')
  if (rewards !== undefined && rewards[0] !== 0) {
    throw new SettingsError('--on-lost drop: rewards must begin at 0, as nobody knows the pulls of those left.')
  }
}

/** What every run on arms is asked with. */
function among(name: string, line: AskLine, wait: Wait) {
  const { arms, budget, shuffler, rewards, audit = true } = line
  if (arms === undefined) throw new SettingsError('which arms? Name them with --arms, with commas between.')
  if (shuffler === undefined) throw new SettingsError('which member controls the run? Name it with --shuffler.')
  const { pace, armTimeout, onLost } = line
  const kept = { audit: audit ? ('owner' as const) : (false as const), ...(rewards && { rewards }) }
  const time = {
    ...(pace !== undefined && { pace }),
    ...(armTimeout !== undefined && { armTimeout }),
    ...(onLost !== undefined && { onLost: onLost as 'stop' | 'drop' }),
  }
  return { name, arms, budget: budget!, shuffler, ...wait, ...kept, ...time }
}

/** What only the thesis's protocols take. */
function checkNoThesis(line: AskLine): void {
  const left = (['values', 'epsilon', 'drawers', 'protocol'] as const).find(option => line[option] !== undefined)
  if (left !== undefined) throw new SettingsError(`--${left} goes with --privacy thesis.`)
}

/** What is for sources is refused before anybody is asked. */
function checkSearch(line: AskLine): void {
  const left = (['arms', 'algorithm', 'rewards', 'pace', 'armTimeout', 'onLost'] as const).find(
    option => line[option] !== undefined,
  )
  if (left !== undefined) {
    const option = left.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    throw new SettingsError(
      `a search with --privacy thesis takes values, which members draw around: leave out --${option}.`,
    )
  }
}

/** What SR-secured is asked with. */
function search(name: string, line: AskLine, wait: Wait): ThesisSearchAmongOptions {
  const { values, epsilon, drawers, budget, shuffler } = line
  if (values === undefined || epsilon === undefined || drawers === undefined) {
    throw new SettingsError(
      'what are the arms worth, and who draws? With --privacy thesis: --values, --epsilon, --drawers.',
    )
  }
  const parties = { shuffler: shuffler ?? '', comparator: comparatorOf(line), drawers }
  return { name, privacy: 'thesis', values, epsilon, budget: budget!, ...parties, ...wait }
}

/** Now and then how far it is, for the person at the terminal. */
async function followed<Result extends BanditResult>(run: BanditHandle<Result>): Promise<Result> {
  const follow = async () => {
    for await (const { round, spent, budget } of run) warn(`round ${round}: ${spent} of ${budget} pulls`)
  }
  follow().catch(() => {})
  return run.result
}
