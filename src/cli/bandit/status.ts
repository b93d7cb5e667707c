// What `coterie bandit status` shows: the runs of a name that a member was in, by the logs in its folder.

import { existsSync } from 'node:fs'
import type { NumberedEntry } from '../../bandits/index.ts'
import { readRunLog, runLogs } from '../../client/peers/run-files.ts'
import { nameRule } from '../../client/peers/run-options.ts'
import { checkValue, FileError, SettingsError } from '../../core/index.ts'
import { EXIT_FAILED, print, warn } from '../output.ts'
import { printable } from '../printable.ts'

export interface StatusLine {
  readonly config?: string
  readonly json?: boolean
}

/** One run, as this member knows it. */
export interface RunStatus {
  readonly id: string
  readonly user: string
  readonly member: string
  /** What this member plays: user, shuffler, comparator, or its arm. */
  readonly parts: readonly string[]
  readonly algorithm: string
  readonly budget: number
  /** Rounds that this member has seen the beginning of. */
  readonly rounds: number
  /** Pulls of its own arm. */
  readonly pulls: number
  readonly isOver: boolean
  readonly file: string
}

export async function showStatus(name: string, line: StatusLine): Promise<void> {
  const { config } = line
  if (config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  checkValue('the name of a run', nameRule, name)
  if (!existsSync(config)) throw new FileError(`cannot read ${config}: there is no such folder.`)
  const runs = runLogs(config, name).flatMap(file => statusOf(file, readRunLog(file)) ?? [])
  if (runs.length === 0) {
    warn(`this member has no log of a run of the name '${printable(name)}': --no-audit and --privacy thesis leave none`)
    process.exitCode = EXIT_FAILED
    if (!line.json) return
  }
  print(line.json, runs, () => runs.map(sentence).join('\n'))
}

/** Undefined where a crash cut off the first entry. */
export function statusOf(file: string, entries: readonly NumberedEntry[]): RunStatus | undefined {
  const first = entries[0]?.entry
  if (first?.kind !== 'opened') return undefined
  const { terms, self } = first
  const arm = terms.seats.find(({ member }) => member === self)?.arm
  const parts = [
    ...(terms.user === self ? ['user'] : []),
    ...(terms.shuffler === self ? ['shuffler'] : []),
    ...(terms.comparator === self ? ['comparator'] : []),
    ...(arm === undefined ? [] : [`arm '${arm}'`]),
  ]
  let [rounds, pulls, isOver] = [0, 0, false]
  for (const { entry } of entries) {
    if (entry.kind === 'heard') rounds = Math.max(rounds, entry.word === 'tokens' ? entry.round + 1 : entry.round)
    if (entry.kind === 'paid') pulls = Math.max(pulls, entry.number)
    if (entry.kind === 'closed') isOver = true
  }
  const { id, user, algorithm, budget } = terms
  return { id, user, member: self, parts, algorithm, budget, rounds, pulls, isOver, file }
}

function sentence({ id, user, parts, algorithm, budget, rounds, pulls, isOver }: RunStatus): string {
  const own = parts.some(part => part.startsWith('arm')) ? `, ${pulls} pulls of its own` : ''
  // A user is told of no round: it has its answer, or waits.
  const seen = parts.some(part => part !== 'user')
  const state = isOver
    ? `over${seen ? ` after ${rounds} ${rounds === 1 ? 'round' : 'rounds'}` : ''}`
    : `under way${seen ? `, round ${rounds}` : ''}`
  const asked = `${algorithm}, ${budget} pulls for ${printable(user)}`
  return `${id.slice(0, 8)}  ${printable(parts.join(', '))}: ${state}${own} (${asked})`
}
