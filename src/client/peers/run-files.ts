// The logs of runs that are to be audited, each in a file of its own beside the member's store. Written before anything follows from
// it, so that a crash loses no entry. They have secrets: only their owner can read them.

import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BanditMemberEvent, NumberedEntry } from '../../bandits/index.ts'
import { numberedCodec, RUN_LOG_BYTES } from '../../bandits/machines.ts'
import { decode, encode, FileError } from '../../core/index.ts'
import { cannot } from '../../runtime/files.ts'
import type { RunAudit } from '../bandits/run.ts'

const OWNER_ONLY = 0o600
const OWNER_FOLDER = 0o700
const FOLDER = 'runs'
/** Names whose newest file is remembered: more than runs at once. */
const NAMES_MAX = 256
const HEADER_BYTES_MAX = 512
const ASKED_BY = ' Asked for by '
const HEADER = '# coterie: the log of a private run. It has secrets: hand it to nobody but the auditor.'

/** Writes logs into a member's folder; without one they are not kept. */
export class RunFiles {
  private readonly folder: string | undefined
  private readonly names = new Map<string, string>()

  constructor(folder: string | undefined) {
    this.folder = folder && join(folder, FOLDER)
  }

  write({ id, name, user, number, entry }: BanditMemberEvent & { kind: 'log' }): void {
    if (this.folder === undefined) return
    const file = join(this.folder, `${name}-${id}.log`)
    if (this.names.get(name) !== file || !existsSync(file)) {
      mkdirSync(this.folder, { recursive: true, mode: OWNER_FOLDER })
      if (!existsSync(file)) writeFileSync(file, `${HEADER}${ASKED_BY}${user}\n`, { mode: OWNER_ONLY })
    }
    const [oldest] = this.names.keys()
    if (!this.names.has(name) && this.names.size >= NAMES_MAX && oldest !== undefined) this.names.delete(oldest)
    this.names.set(name, file)
    appendFileSync(file, `${Buffer.from(encode(numberedCodec, { number, entry })).toString('base64')}\n`)
  }

  /** What the logs of each user's runs take, as they are now: whoever looks after this member may have removed some. */
  taken(): ReadonlyMap<string, number> {
    const taken = new Map<string, number>()
    if (this.folder === undefined || !existsSync(this.folder)) return taken
    for (const name of readdirSync(this.folder)) {
      const file = join(this.folder, name)
      const user = name.endsWith('.log') ? userOf(file) : undefined
      if (user === undefined) continue
      taken.set(user, (taken.get(user) ?? 0) + RUN_LOG_BYTES + statSync(file).size)
    }
    return taken
  }

  committed({ name, heads }: BanditMemberEvent & { kind: 'answered' }): { readonly audit?: RunAudit } {
    if (heads.length === 0) return {}
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
    return {
      audit: {
        file: this.names.get(name),
        heads: heads.map(({ member, head }) => ({
          member,
          entries: head.count,
          head: hex(head.head),
          signature: hex(head.signature),
        })),
      },
    }
  }
}

/** Who asked for the run of this log; undefined where it does not say so. */
function userOf(file: string): string | undefined {
  const start = Buffer.alloc(HEADER_BYTES_MAX)
  const opened = openSync(file, 'r')
  try {
    const [header = ''] = start.toString('utf8', 0, readSync(opened, start)).split('\n')
    return header.split(ASKED_BY)[1]
  } finally {
    closeSync(opened)
  }
}

/** The logs of the runs of a name in a member's folder, the oldest first. */
export function runLogs(folder: string, name: string): string[] {
  const runs = join(folder, FOLDER)
  if (!existsSync(runs)) return []
  const own = new RegExp(`^${name}-[0-9a-f]{32}\\.log$`)
  const files = readdirSync(runs).filter(file => own.test(file))
  const age = (file: string) => statSync(join(runs, file)).birthtimeMs
  return files.sort((a, b) => age(a) - age(b)).map(file => join(runs, file))
}

/** The entries of a log that was written so; a last line that a crash cut short is left out. */
export function readRunLog(file: string): NumberedEntry[] {
  const lines = readLines(file)
  return lines.flatMap((line, place) => {
    const decoded = decode(numberedCodec, new Uint8Array(Buffer.from(line, 'base64')))
    if (decoded.ok) return [decoded.value]
    if (place === lines.length - 1) return []
    throw new FileError(`${file}: line ${place + 2} is no entry of a log of a run.`)
  })
}

function readLines(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new FileError(`cannot read ${file}: there is no such file.`)
    throw cannot('read', file, error)
  }
  const [header, ...lines] = text.trimEnd().split('\n')
  if (header?.split(ASKED_BY)[0] !== HEADER) throw new FileError(`${file} is no log of a run.`)
  return lines
}
