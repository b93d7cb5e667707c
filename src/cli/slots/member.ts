// What `coterie slots NAME request` and `join` do: become a member, and run a command while it has a seat.

import { constants } from 'node:os'
import { join as joinPath } from 'node:path'
import { join } from '../../client/join.ts'
import type { JoinedGroup } from '../../client/peers/joined-group.ts'
import { NoSeat, type Slots } from '../../client/peers/slots.ts'
import type { SlotsOptions } from '../../client/peers/slots-settings.ts'
import { SettingsError } from '../../core/index.ts'
import { createLog } from '../../runtime/json-log.ts'
import { type SlotsLevel, slotsLevels } from '../../slots/index.ts'
import { colour, tell, warn } from '../output.ts'
import { allPrintable } from '../printable.ts'
import { runUnder, type UnderOptions, warnedEarly } from '../under/run.ts'

export interface SlotsLine extends UnderOptions {
  readonly config?: string
  readonly slots?: readonly string[]
  readonly lease?: number
  readonly level?: string
  readonly fairness?: string
  readonly concurrent?: boolean
  readonly paced?: boolean
  readonly onDemand?: boolean
  readonly liars?: number
  readonly timeout?: number
  readonly repeat?: boolean
  readonly evidence?: string
  readonly log: string
  readonly json?: boolean
}

const EXIT_BY_SIGNAL = 128

export async function requestSeat(name: string, command: readonly string[], line: SlotsLine): Promise<void> {
  if (command.length === 0) throw new SettingsError('which command? Name it after --.')
  const options = optionsOf(line)
  const stopped = untilStopped()
  await using group = await joinFrom(line)
  const slots = openSlots(group, name, options)
  try {
    do {
      await using seat = await slots.request({
        signal: stopped.signal,
        ...(line.timeout === undefined ? {} : { timeout: line.timeout }),
      })
      using held = warnedEarly(seat)
      process.exitCode = await runUnder(held, command, { COTERIE_SLOTS: name, COTERIE_SLOT: seat.slot }, line)
    } while (line.repeat && process.exitCode === 0 && !stopped.signal.aborted)
  } catch (error) {
    if (!(error instanceof NoSeat && error.reason === 'cancelled')) throw error
    process.exitCode = stopped.signal.reason as number
  }
}

export async function joinSlots(name: string, line: SlotsLine): Promise<void> {
  const options = optionsOf(line)
  const stopped = untilStopped()
  await using group = await joinFrom(line)
  const slots = openSlots(group, name, options)
  // A machine that could not be opened says why.
  await slots.status()
  tell(`${colour.green('joined')} '${name}' as ${group.name}; Ctrl-C leaves`)
  await new Promise<void>(resolve => {
    if (stopped.signal.aborted) resolve()
    stopped.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function joinFrom(line: SlotsLine): Promise<JoinedGroup> {
  if (line.config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  return join({ config: line.config, log: createLog('member', line.log) })
}

function optionsOf(line: SlotsLine): SlotsOptions {
  const { slots, lease, level = 'verified', fairness = 'lottery', concurrent, paced, onDemand, liars, evidence } = line
  if (slots === undefined) throw new SettingsError('which slots? Name them with --slots, the same for all members.')
  if (fairness !== 'lottery' && fairness !== 'rotating') {
    throw new SettingsError(`fairness is ${JSON.stringify(fairness)}; it must be lottery or rotating.`)
  }
  if (!isLevel(level)) {
    throw new SettingsError(`level is ${JSON.stringify(level)}; it must be ${slotsLevels.join(', ')}.`)
  }
  return {
    slots,
    level,
    fairness,
    ...(lease === undefined ? {} : { lease }),
    ...(concurrent === undefined ? {} : { concurrent }),
    ...(paced === undefined ? {} : { paced }),
    ...(onDemand === undefined ? {} : { onDemand }),
    ...(liars === undefined ? {} : { liars }),
    ...(evidence === undefined ? {} : { evidenceFolder: evidence }),
  }
}

function isLevel(name: string): name is SlotsLevel {
  return (slotsLevels as readonly string[]).includes(name)
}

function openSlots(group: JoinedGroup, name: string, options: SlotsOptions): Slots {
  const slots = group.slots(name, options)
  void warnOf(slots, options.evidenceFolder).catch(() => {})
  return slots
}

/** Who cheats and who is silent, for the person at the terminal. Never what anybody holds. */
async function warnOf(slots: Slots, folder: string | undefined): Promise<void> {
  for await (const told of slots.incidents()) {
    const incident = allPrintable(told)
    if (incident.kind === 'cheat') {
      const where =
        folder === undefined ? '' : `; evidence in ${joinPath(folder, `${slots.name}-${incident.member}.evidence`)}`
      warn(`warning: ${incident.member} ${incident.what}${where}`)
    } else if (incident.kind === 'forged') {
      warn(`warning: ${incident.member} ${incident.what}`)
    } else if (incident.kind === 'differs') {
      const { member, level } = incident
      warn(`warning: ${member} opened '${slots.name}' at level '${level}': all members must use one`)
    } else if (incident.kind === 'silent' && incident.members.length > 0) {
      warn(`note: ${incident.members.join(', ')} said nothing for too long, and will be left out`)
    }
  }
}

/** Its reason is the exit code. A running command gets the signal too, from `runUnder`. */
function untilStopped(): AbortController {
  const stopped = new AbortController()
  const stop = (signal: NodeJS.Signals) => stopped.abort(EXIT_BY_SIGNAL + constants.signals[signal])
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return stopped
}
