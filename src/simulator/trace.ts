// Everything that happened in a run, as a hash always, and as a list where somebody wants to look.

import type { Micros } from './network.ts'

export type TraceKind =
  | 'start'
  | 'deliver'
  | 'timer'
  | 'command'
  | 'emit'
  | 'crash'
  | 'restart'
  | 'pause'
  | 'resume'
  | 'stop'
  | 'note'

/** One thing that happened in a run. */
export interface TraceEntry {
  readonly at: Micros
  readonly kind: TraceKind
  readonly node: string
  /** The sender, and when it sent: for arrows. */
  readonly from?: string
  readonly sentAt?: Micros
  /** Which of its link it was, from 1 on. */
  readonly nth?: number
  readonly what: string
}

const KINDS: readonly TraceKind[] = [
  'start',
  'deliver',
  'timer',
  'command',
  'emit',
  'crash',
  'restart',
  'pause',
  'resume',
  'stop',
  'note',
]
const CODES = new Map<TraceKind, number>(KINDS.map((kind, code) => [kind, code]))

/** 64 bits in two halves, folded with the constants of MurmurHash3. Integer arithmetic only: the same in every engine. */
export class TraceHash {
  private high = 0x9747b28c | 0
  private low = 0x3c6ef372 | 0

  number(value: number): void {
    this.low = Math.imul(this.low ^ (value | 0), 0x85ebca6b)
    this.low = (this.low << 13) | (this.low >>> 19)
    this.high = Math.imul(this.high ^ this.low, 0xc2b2ae35)
    this.high ^= this.high >>> 15
  }

  time(at: Micros): void {
    this.number(at)
    this.number(at / 0x1_0000_0000)
  }

  bytes(value: Uint8Array, length: number): void {
    let at = 0
    for (; at + 4 <= length; at += 4) {
      this.number(value[at]! | (value[at + 1]! << 8) | (value[at + 2]! << 16) | (value[at + 3]! << 24))
    }
    for (; at < length; at++) this.number(value[at]!)
    this.number(length)
  }

  kind(kind: TraceKind): void {
    this.number(CODES.get(kind)!)
  }

  hex(): string {
    return (this.high >>> 0).toString(16).padStart(8, '0') + (this.low >>> 0).toString(16).padStart(8, '0')
  }
}

/** One line of a trace for people: time, who, what. */
export function traceLine(entry: TraceEntry): string {
  const time = (entry.at / 1000).toFixed(3).padStart(11)
  const who = entry.node.padEnd(10)
  const arrow = entry.from === undefined ? '' : `← ${entry.from}  `
  return `${time} ms  ${who} ${entry.kind.padEnd(8)} ${arrow}${entry.what}`
}

/** A body in one line, short enough to read. */
export function brief(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body)
  const { kind, ...rest } = body as Record<string, unknown>
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${briefValue(value)}`)
  return [kind ?? '', ...fields].join(' ').trim()
}

function briefValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (value instanceof Uint8Array) return `${value.length}B`
  if (typeof value === 'object' && value !== null) return `{${brief(value)}}`
  return String(value)
}
