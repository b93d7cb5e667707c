// A client that looks through the windows of a group's members: it asks all that it can reach, and shows the answer of
// one, since members that see different groups for a while are no contradiction. A member that does not answer is asked
// again at the next look.

import { compose, NOTHING_SAVED, type Parted, SettingsError, Unavailable } from '../../core/index.ts'
import { memberVocabulary } from '../../node/member.ts'
import { type WindowEvent, windowProtocol } from '../../node/window.ts'
import { granterClock } from '../../runtime/clock.ts'
import { loadNodeConfig } from '../../runtime/config/config.ts'
import { Driver } from '../../runtime/driver.ts'
import { silence } from '../../runtime/log.ts'
import { createTlsTransport } from '../../runtime/transport/index.ts'
import type { Looked } from './window.ts'

/** How long a command waits for the first answer. */
export const LOOK_MS = 3_000

export interface Looker {
  /** What the members answered within `timeout`, by member. Rejects with `Unavailable` where none did. */
  look(what: string, timeout: number): Promise<readonly Looked[]>
  close(): Promise<void>
}

/** After the first answer, the others have so long. */
const OTHERS_MS = 150

export async function openLooker(path: string): Promise<Looker> {
  const config = await loadNodeConfig(path)
  const { members } = config.group.membership
  if (members.length === 0) {
    throw new SettingsError(
      `${config.file} names no members. A group with members is made by coterie init --members N.`,
    )
  }
  if (config.role !== 'client')
    throw new SettingsError(`${config.file} is a ${config.role}'s; look with a client's folder.`)
  const waiting = new Map<number, (found: Looked) => void>()
  const driver = new Driver<Map<string, unknown>, Parted, Parted, Parted>({
    protocol: compose('looker', { window: windowProtocol }),
    self: config.name,
    peers: [],
    vocabulary: memberVocabulary,
    clock: granterClock,
    log: silence,
    saved: NOTHING_SAVED,
    event(event) {
      const seen = event.body as WindowEvent
      if (seen.kind === 'seen') waiting.get(seen.query)?.(JSON.parse(new TextDecoder().decode(seen.found)))
    },
    failed: () => {},
  })
  const addresses = new Map(members.map(({ name, host, port }) => [name, { host, port }]))
  const transport = await createTlsTransport(
    { credentials: config, authority: config.authority, log: silence, addresses },
    driver.events,
  )
  driver.start(transport)
  let queries = 0
  return {
    look(what, timeout) {
      const query = ++queries
      for (const { name } of members) driver.command({ part: 'window', body: { kind: 'look', query, at: name, what } })
      return collect(waiting, query, members.length, timeout)
    },
    async close() {
      await driver.stop()
      await transport.close()
    },
  }
}

function collect(waiting: Map<number, (found: Looked) => void>, query: number, all: number, timeout: number) {
  return new Promise<readonly Looked[]>((resolve, reject) => {
    const found: Looked[] = []
    const done = () => {
      waiting.delete(query)
      clearTimeout(timer)
      if (found.length > 0) resolve(found)
      else reject(new Unavailable(`none of ${all} members answered within ${timeout} ms. Are they running?`))
    }
    let timer = setTimeout(done, timeout)
    waiting.set(query, answer => {
      found.push(answer)
      if (found.length === all) return done()
      if (found.length > 1) return
      clearTimeout(timer)
      timer = setTimeout(done, OTHERS_MS)
    })
  })
}
