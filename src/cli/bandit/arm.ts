// What `coterie bandit arm` does: becomes a member that serves an arm, and asks a command for each reward.

import { spawn } from 'node:child_process'
import { join } from '../../client/join.ts'
import { SettingsError } from '../../core/index.ts'
import { createLog } from '../../runtime/json-log.ts'
import { colour, tell } from '../output.ts'

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
  await using group = await join({ config, log: createLog('member', line.log) })
  const source = ({ pull, signal }: { readonly pull: number; readonly signal: AbortSignal }) =>
    rewardOf(run, { COTERIE_PULL: String(pull), COTERIE_RUN: name, COTERIE_ARM: arm }, signal)
  const accept = ({ user, budget }: { readonly user: string; readonly budget: number }) => {
    tell(`${user} asks for a run of ${budget} pulls`)
    return true
  }
  await using served = await group.arm(name, arm, source, { accept, ...(line.runs && { runs: line.runs }) })
  tell(`${colour.green('serving')} arm '${arm}' of '${name}' as ${group.name}; Ctrl-C ends it`)
  const stopped = new Promise<void>(resolve => process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve()))
  await Promise.race([stopped, served.ended])
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
