// The checkers of recovery: a watcher hears of every version once and in order, and what is bound to a session is
// there as long as the session and no longer.

import { type NodeId, sameBytes } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { OrderingEvent } from '../client/commands.ts'
import { type Content, openedAt } from '../versions/content.ts'

interface Watched {
  readonly object: string
  readonly from: number | undefined
  /** The last version told; undefined before it has begun. */
  version: number | undefined
  /** The table as its user would have it; undefined where the watch began at a version it has not seen. */
  table: Map<string, Uint8Array> | undefined
  over: boolean
}

export class WatchChecker implements Checker {
  readonly name = 'watches'
  /** Versions told one by one, and watches that went on from a version. */
  told = 0
  replayed = 0
  private readonly watches = new Map<number, Watched>()
  private readonly broken: Violation[] = []

  asked(id: number, object: string, from: number | undefined): void {
    this.watches.set(id, { object, from, version: undefined, table: undefined, over: false })
  }

  /** It is no longer watched: says how far it was told. */
  over(id: number): number | undefined {
    const watched = this.watches.get(id)!
    watched.over = true
    return watched.version ?? watched.from
  }

  observe(event: OrderingEvent, at: Micros): void {
    if (event.kind !== 'watching' && event.kind !== 'changed' && event.kind !== 'skipped') return
    const watched = this.watches.get(event.id)
    if (watched === undefined) return
    const say = (what: string) => this.broken.push({ what: `watch ${event.id} of '${watched.object}' ${what}`, at })
    if (watched.over) say(`was told of version ${event.version} after it was closed`)
    switch (event.kind) {
      case 'watching':
        if (watched.version !== undefined) say('began twice')
        if (watched.from !== undefined && event.version < watched.from) say(`began before version ${watched.from}`)
        if (event.version === watched.from) this.replayed++
        watched.version = event.version
        if (event.version === 0) watched.table = new Map()
        return
      case 'skipped':
        if (watched.version === undefined || event.version < watched.version) say(`skipped back to ${event.version}`)
        watched.version = event.version
        watched.table = new Map(event.table)
        return
      case 'changed':
        if (watched.version === undefined || event.version !== watched.version + 1)
          say(`was told of version ${event.version} after ${watched.version}`)
        this.told++
        watched.version = event.version
        for (const { key, value } of event.writes) {
          if (value === undefined) watched.table?.delete(key)
          else watched.table?.set(key, value)
        }
    }
  }

  /** Every watcher has heard of what was decided long ago. */
  demand(id: number, version: number, at: Micros): void {
    const { object, version: told, over } = this.watches.get(id)!
    if (over || (told !== undefined && told >= version)) return
    this.broken.push({ what: `watch ${id} of '${object}' was told up to ${told}, and not of ${version}`, at })
  }

  /** A watcher at the version that an honest server has, has what it has. */
  compare(server: NodeId, object: string, { version, table }: Content, at: Micros): void {
    for (const [id, watched] of this.watches) {
      if (watched.object !== object || watched.version !== version || watched.table === undefined) continue
      const keys = new Set([...watched.table.keys(), ...table.keys()])
      const different = [...keys].filter(key => !isSame(watched.table!.get(key), table.get(key)))
      if (different.length === 0) continue
      const what = `watch ${id} of '${object}' has at version ${version} another '${different[0]}' than ${server}`
      this.broken.push({ what, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

function isSame(mine: Uint8Array | undefined, theirs: Uint8Array | undefined): boolean {
  return mine === undefined || theirs === undefined ? mine === theirs : sameBytes(mine, theirs)
}

/** What was bound to a session that is over is gone; and sessions of those who are gone are over. */
export class BoundChecker implements Checker {
  readonly name = 'sessions'
  private readonly broken: Violation[] = []

  /** `living`: the processes that may have sessions, where all others, opened up to a version, had time to run out. */
  look(
    server: NodeId,
    { table, sessions }: Content,
    living: ReadonlySet<NodeId> | undefined,
    openedUpTo: number,
    at: Micros,
  ): void {
    for (const key of table.keys()) {
      const session = key.startsWith('bound ') ? key.slice('bound '.length) : undefined
      if (session === undefined || sessions.has(session)) continue
      this.broken.push({ what: `at ${server} '${key}' is there, and the session is not`, at })
    }
    if (living === undefined) return
    for (const [session, { client }] of sessions) {
      if (!living.has(client) && openedAt(session) <= openedUpTo)
        this.broken.push({ what: `at ${server} session ${session} of ${client} never ended`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** Servers that have the same version have the same table, however they came by it. */
export class OneTableChecker implements Checker {
  readonly name = 'one table a version'
  private readonly tables = new Map<string, { readonly server: NodeId; readonly table: string }>()
  private readonly seen = new Map<string, number>()
  private readonly broken: Violation[] = []

  /** `where`: in which of its lives, or in a log of it. */
  look(server: NodeId, where: string, object: string, content: Content, at: Micros): void {
    const mine = `${server} ${where} ${object}`
    if (this.seen.get(mine) === content.version) return
    this.seen.set(mine, content.version)
    const table = describe(content)
    const name = `${object} ${content.version}`
    const before = this.tables.get(name)
    if (before === undefined) this.tables.set(name, { server, table })
    else if (before.table !== table) {
      this.broken.push({
        what: `version ${content.version} of '${object}' at ${server} (${where}) is not as at ${before.server}`,
        at,
      })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

function describe({ table, sessions }: Content): string {
  const entries = [...table].map(([key, value]) => `${key}=${value.join()}`)
  for (const [session, { client, next, responses }] of sessions) {
    entries.push(`${session}: ${client} ${next} ${responses.map(({ seq }) => seq).join()}`)
  }
  return entries.sort().join('\n')
}
