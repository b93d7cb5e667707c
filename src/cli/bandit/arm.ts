// What `coterie bandit arm` does: becomes a member that serves an arm, and asks a command for each reward.

import { spawn } from 'node:child_process'
import { join } from '../../client/join.ts'
import type { RunTerms } from '../../client/peers/served-arm.ts'
import { SettingsError } from '../../core/index.ts'
import { createLog } from '../../runtime/json-log.ts'
import { colour, tell } from '../output.ts'
import { printable } from '../printable.ts'

export interface ArmLine {
  readonly config?: string
  readonly run?: string
  readonly runs?: number
  readonly log: string
}

/** Enough for any number, and for what a command says beside it. */
const OUTPUT_BYTES_MAX = 65_536

export async function serveArm(name: string, arm: string, line: ArmLine): Promise<void> {
  const { config, run } = line
  if (config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  if (run === undefined) throw new SettingsError('what pulls the arm? Name a command with --run.')
  if (line.runs === 0) throw new SettingsError('--runs is 0; an arm serves one run at least.')
  await using group = await join({ config, log: createLog('member', line.log) })
  const source = ({ pull, signal }: { readonly pull: number; readonly signal: AbortSignal }) =>
    rewardOf(run, { COTERIE_PULL: String(pull), COTERIE_RUN: name, COTERIE_ARM: arm }, signal)
  const accept = (terms: RunTerms) => {
    tell(asked(terms))
    return true
  }
  await using served = await group.arm(name, arm, source, {
    accept,
    ...(line.runs !== undefined && { runs: line.runs }),
  })
  tell(`${colour.green('serving')} arm '${arm}' of '${name}' as ${group.name}; Ctrl-C ends it`)
  const stopped = new Promise<void>(resolve => process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve()))
  await Promise.race([stopped, served.ended])
}

/** Who asks for what, as the owner of an arm reads it. */
export function asked({
  user,
  budget,
  algorithm,
  privacy,
  protocol,
  shuffler,
  comparator,
  arms,
  arm,
}: RunTerms): string {
  const others = arms.filter(other => other.arm !== arm).map(other => `${other.arm} of ${other.member}`)
  const parties =
    privacy === 'thesis'
      ? `at the level of the thesis (${protocol}): ${shuffler} controls it, and sees who is pulled`
      : `${shuffler} shuffles, ${comparator} compares`
  return printable(`${user} asks for a run of ${budget} pulls, ${algorithm}, beside ${others.join(', ')}; ${parties}`)
}

/** The number that the command prints. */
export function rewardOf(command: string, environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment }
    const child = spawn(command, { shell: true, env, signal, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < OUTPUT_BYTES_MAX) said += text
    })
    child.once('error', reject)
    child.once('close', code => {
      const reward = Number(said.trim())
      if (code !== 0) reject(new Error(`the command ended with ${code}`))
      else if (said.trim() === '' || !Number.isFinite(reward)) {
        reject(new Error(`the command printed ${JSON.stringify(said.slice(0, 80))}, which is no number`))
      } else resolve(reward)
    })
  })
}
