// What every node remembered after every event, as text: noted only for the node that was touched, and only where it changed.
// So looking back costs nothing, and nothing is run twice.

import type { NodeId } from '../core/index.ts'

interface Note {
  readonly index: number
  readonly text: string
}

/** Which places of a trace are noted: all while the budget lasts, or a stretch of it. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Letters written in one run. Of small machines it is all that happens; of large ones the beginning, and then stretches. */
const LETTERS_MAX = 250_000
const BYTES_SHOWN = 16
/** Of one list or map. What comes after is counted. */
const ITEMS_MAX = 40
const DEPTH_MAX = 8

/** The states of all nodes in the course of a run. */
export class States {
  /** The first place for which nothing was noted any more. */
  end = Number.POSITIVE_INFINITY
  private readonly notes = new Map<NodeId, Note[]>()
  private readonly stretch: Stretch | undefined
  private letters = 0

  constructor(stretch?: Stretch) {
    this.stretch = stretch
  }

  /** Whether this place is one of those that are noted. */
  wants(index: number): boolean {
    if (this.stretch !== undefined) return index >= this.stretch.from && index <= this.stretch.to
    if (this.letters <= LETTERS_MAX) return true
    this.end = Math.min(this.end, index)
    return false
  }

  /** Whether what is asked for this place can be answered. */
  has(index: number): boolean {
    return this.stretch === undefined ? index < this.end : index >= this.stretch.from && index <= this.stretch.to
  }

  /** The node's state after the event at this place of the trace. */
  note(index: number, node: NodeId, state: unknown): void {
    const text = state === undefined ? '' : stateText(state)
    this.letters += text.length
    const own = this.notes.get(node) ?? []
    if (own.length === 0) this.notes.set(node, own)
    if (own.at(-1)?.text !== text) own.push({ index, text })
  }

  /** JSON; an empty text of a node that does not run; nothing before it was there. */
  at(index: number, node: NodeId): string | undefined {
    const own = this.notes.get(node)
    if (own === undefined) return undefined
    let [low, high] = [0, own.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (own[middle]!.index <= index) low = middle + 1
      else high = middle
    }
    return own[low - 1]?.text
  }
}

/** Plain data as JSON: maps as objects, sets as lists, bytes as their first digits, long lists by their beginning. */
export function stateText(value: unknown, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value > 0 ? '∞' : value < 0 ? '−∞' : 'not a number'}"`
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return `"${value}"`
    case 'object':
      return value === null ? 'null' : objectText(value, depth)
    default:
      return 'null'
  }
}

function objectText(value: object, depth: number): string {
  if (value instanceof Uint8Array) return `"${bytesText(value)}"`
  if (depth >= DEPTH_MAX) return '"…"'
  if (Array.isArray(value)) return listText(value, value.length, depth)
  if (value instanceof Set) return listText(value, value.size, depth)
  if (value instanceof Map) return mapText(value, depth)
  let text = ''
  for (const field in value) {
    const item = (value as Record<string, unknown>)[field]
    if (item === undefined || typeof item === 'function') continue
    text += `${text && ','}${fieldText(field)}:${stateText(item, depth + 1)}`
  }
  return `{${text}}`
}

// Nearly always a plain word, which needs nothing but quotes.
function fieldText(field: string): string {
  return /^\w+$/.test(field) ? `"${field}"` : JSON.stringify(field)
}

function listText(items: Iterable<unknown>, size: number, depth: number): string {
  let text = ''
  let count = 0
  for (const item of items) {
    if (count++ === ITEMS_MAX) return `[${text},"… ${size - ITEMS_MAX} more"]`
    text += `${text && ','}${stateText(item, depth + 1)}`
  }
  return `[${text}]`
}

function mapText(items: ReadonlyMap<unknown, unknown>, depth: number): string {
  let text = ''
  let count = 0
  for (const [key, item] of items) {
    if (count++ === ITEMS_MAX) return `{${text},"…":"${items.size - ITEMS_MAX} more"}`
    const name = typeof key === 'string' ? key : stateText(key)
    text += `${text && ','}${JSON.stringify(name)}:${stateText(item, depth + 1)}`
  }
  return `{${text}}`
}

function bytesText(bytes: Uint8Array): string {
  let digits = ''
  const shown = Math.min(bytes.length, BYTES_SHOWN)
  for (let at = 0; at < shown; at++) digits += bytes[at]!.toString(16).padStart(2, '0')
  return bytes.length > BYTES_SHOWN ? `${digits}… (${bytes.length} bytes)` : digits
}
