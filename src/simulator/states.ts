// What every node remembered after every event, as text: noted only for the node that was touched, and only where it changed.
// So looking back costs nothing, and nothing is run twice.

import type { NodeId } from '../core/index.ts'

interface Note {
  readonly index: number
  readonly text: string
}

/** Letters of states that are kept of one run. A run of 10,000 events has some millions. */
const LETTERS_MAX = 60_000_000
const BYTES_SHOWN = 16

/** The states of all nodes in the course of a run. */
export class States {
  private readonly notes = new Map<NodeId, Note[]>()
  private letters = 0

  /** The node's state after the event at this place of the trace. */
  note(index: number, node: NodeId, state: unknown): void {
    if (this.letters > LETTERS_MAX) return
    const text = state === undefined ? '' : stateText(state)
    const own = this.notes.get(node) ?? []
    if (own.length === 0) this.notes.set(node, own)
    if (own.at(-1)?.text === text) return
    this.letters += text.length
    own.push({ index, text })
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

/** Plain data as JSON: maps as objects, sets as lists, bytes as their first digits. */
export function stateText(value: unknown): string {
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
      return value === null ? 'null' : objectText(value)
    default:
      return 'null'
  }
}

function objectText(value: object): string {
  if (Array.isArray(value)) return `[${value.map(stateText).join()}]`
  if (value instanceof Uint8Array) return `"${bytesText(value)}"`
  if (value instanceof Map) {
    let text = ''
    for (const [key, item] of value) text += `${text && ','}${JSON.stringify(keyText(key))}:${stateText(item)}`
    return `{${text}}`
  }
  if (value instanceof Set) return `[${[...value].map(stateText).join()}]`
  let text = ''
  for (const field in value) {
    const item = (value as Record<string, unknown>)[field]
    if (item !== undefined && typeof item !== 'function')
      text += `${text && ','}${JSON.stringify(field)}:${stateText(item)}`
  }
  return `{${text}}`
}

function keyText(key: unknown): string {
  return typeof key === 'string' ? key : stateText(key)
}

function bytesText(bytes: Uint8Array): string {
  const digits = [...bytes.subarray(0, BYTES_SHOWN)].map(byte => byte.toString(16).padStart(2, '0')).join('')
  return bytes.length > BYTES_SHOWN ? `${digits}… (${bytes.length} bytes)` : digits
}
