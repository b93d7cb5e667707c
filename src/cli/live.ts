// What the doctor sees only by asking the running group: tokens and turns far ahead of the clock, objects that stand still.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../client/connect.ts'
import type { GroupStatus } from '../client/group.ts'
import { CoterieError } from '../core/index.ts'
import { NODE_FILE } from '../runtime/config/config.ts'
import type { Finding } from '../runtime/doctor/examine.ts'
import { inWords } from './duration.ts'

const CONNECT_MS = 2_000
const CLIENTS = 'clients'
const FIRST_CHOICE = 'admin'

/** A client's folder to ask with: the one that is examined, or one of the group's, the operators' first. */
export function askingFolder(path: string): string | undefined {
  const clients = join(path, CLIENTS)
  if (!existsSync(clients)) return existsSync(join(path, NODE_FILE)) ? path : undefined
  const names = readdirSync(clients).sort()
  const name = names.includes(FIRST_CHOICE) ? FIRST_CHOICE : names[0]
  return name === undefined ? undefined : join(clients, name)
}

/** What is wrong with the running group; nothing where it cannot be asked: that is said by what dials its ports. */
export async function examineLive(path: string): Promise<Finding[]> {
  const config = askingFolder(path)
  if (config === undefined) return []
  try {
    await using group = await connect({ config, blockedMax: 0, timeout: CONNECT_MS, anyway: true })
    return liveFindings(await group.status())
  } catch (error) {
    if (error instanceof CoterieError) return []
    throw error
  }
}

export function liveFindings({ servers, spoiled }: GroupStatus): Finding[] {
  const tokens = servers.flatMap(({ server, tokensAheadMs, clockOffMs }): Finding[] => {
    if (tokensAheadMs === undefined) return []
    const what = `lock tokens are ${inWords(tokensAheadMs)} ahead of the clock`
    // Where the clock is wrong, the tokens may be right.
    const advice =
      clockOffMs === undefined
        ? 'A client spoiled them: see coterie unlock --reset-floor --help for how they come back, and what that risks.'
        : `Set its clock first: it is ${inWords(Math.abs(clockOffMs))} off. Then look again.`
    return [{ level: 'problem', where: server, what, advice }]
  })
  const objects = spoiled.map(({ object, why }): Finding => {
    const advice = `Stop the client that did it (the servers' logs name it), then: coterie object repair ${object}`
    return { level: 'problem', where: 'group', what: `object '${object}' stands still: ${why}`, advice }
  })
  return [...tokens, ...objects]
}
