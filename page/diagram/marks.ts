// What the picture draws of a trace: marks in order of time, and the stretches in which somebody was inside, down or
// stood still.

import type { TraceEntry } from '../../src/simulator/index.ts'

/** One thing that happened, as the picture needs it. */
export interface Mark extends TraceEntry {
  /** Another word than honesty would have said. */
  readonly lie?: boolean
  /** The message's name: the link and its count on it. */
  readonly message?: string
}

export type SpanKind = 'inside' | 'down' | 'paused'

/** A stretch of one lane. */
export interface Span {
  readonly kind: SpanKind
  readonly lane: number
  readonly from: number
  readonly to: number
}

/** A message that never arrives. */
export interface Lost {
  readonly from: string
  readonly to: string
  readonly sentAt: number
  readonly what: string
}

/** A trace as it is drawn. */
export interface Drawing {
  readonly lanes: readonly string[]
  readonly marks: readonly Mark[]
  readonly spans: readonly Span[]
  /** Stretches in which two were inside that must not be. */
  readonly clashes: readonly { readonly from: number; readonly to: number }[]
  readonly first: number
  readonly last: number
  readonly lost: readonly Lost[]
  /** A message that stands before a traitor who is asked what to say. */
  readonly asks: Mark | undefined
  /** The longest way of a message: how far back a window must look for arrows that reach into it. */
  readonly longest: number
}

const ENTERS = /^(entered|acquired|leading|elected|inside)\b/
const LEAVES = /^(left|lost|released|gone|stepped ?down|resigned|ended|expired)\b/i

interface DrawingParts {
  readonly marks: readonly Mark[]
  readonly lanes: readonly string[]
  /** Two that are inside at once are a clash. */
  readonly exclusive: boolean
  readonly asks: Mark | undefined
  readonly lost: readonly Lost[]
}

export function drawingOf({ marks, lanes, exclusive, asks, lost }: DrawingParts): Drawing {
  let longest = 0
  let first = Number.POSITIVE_INFINITY
  let last = asks?.at ?? 0
  for (const { at, sentAt, kind } of marks) {
    // That all start at once and then wait is nothing to see.
    if (kind !== 'start') first = Math.min(first, sentAt ?? at)
    last = Math.max(last, at)
    if (sentAt !== undefined) longest = Math.max(longest, at - sentAt)
  }
  if (!Number.isFinite(first)) first = 0
  const open = isOpen(marks)
  // What is still so at the end is drawn a little longer: two who are inside must be seen inside.
  const end = Math.max(last, first + 1) + (open ? (last - first) * 0.14 : 0)
  const spans = spansOf(marks, lanes, end)
  const clashes = exclusive ? clashesOf(spans) : []
  return { lanes, marks, spans, clashes, first, last: end, longest, asks, lost }
}

/** Somebody is inside when it ends. */
function isOpen(marks: readonly Mark[]): boolean {
  const inside = new Set<string>()
  for (const { kind, node, what } of marks) {
    if (kind === 'emit' && ENTERS.test(what)) inside.add(node)
    if ((kind === 'emit' && LEAVES.test(what)) || kind === 'crash' || kind === 'stop') inside.delete(node)
  }
  return inside.size > 0
}

function spansOf(marks: readonly Mark[], lanes: readonly string[], end: number): Span[] {
  const open = new Map<string, { kind: SpanKind; lane: number; from: number }>()
  const spans: Span[] = []
  const begin = (kind: SpanKind, node: string, from: number) => {
    const name = `${kind} ${node}`
    if (!open.has(name)) open.set(name, { kind, lane: lanes.indexOf(node), from })
  }
  const finish = (kind: SpanKind, node: string, to: number) => {
    const found = open.get(`${kind} ${node}`)
    if (found === undefined) return
    open.delete(`${kind} ${node}`)
    spans.push({ ...found, to })
  }
  for (const { kind, node, at, what } of marks) {
    if (kind === 'emit' && ENTERS.test(what)) begin('inside', node, at)
    if (kind === 'emit' && LEAVES.test(what)) finish('inside', node, at)
    if (kind === 'crash' || kind === 'stop') {
      finish('inside', node, at)
      finish('paused', node, at)
      begin('down', node, at)
    }
    if (kind === 'start' || kind === 'restart') finish('down', node, at)
    if (kind === 'pause') begin('paused', node, at)
    if (kind === 'resume') finish('paused', node, at)
  }
  for (const { kind, lane, from } of open.values()) spans.push({ kind, lane, from, to: end })
  return spans.filter(span => span.lane >= 0).sort((a, b) => a.from - b.from)
}

function clashesOf(spans: readonly Span[]): { from: number; to: number }[] {
  const inside = spans.filter(({ kind }) => kind === 'inside')
  const found: { from: number; to: number }[] = []
  let reach: Span | undefined
  for (const span of inside) {
    if (reach !== undefined && span.lane !== reach.lane && span.from < reach.to) {
      found.push({ from: span.from, to: Math.min(span.to, reach.to) })
    }
    if (reach === undefined || span.to > reach.to) reach = span
  }
  return found
}

/** The first mark at or after a time. */
export function firstAtOrAfter(marks: readonly Mark[], time: number): number {
  let low = 0
  let high = marks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.at < time) low = middle + 1
    else high = middle
  }
  return low
}
