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
  /** Of those who are inside: of which lock, where several have names. */
  readonly of?: string
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
  readonly laneOf: ReadonlyMap<string, number>
  readonly marks: readonly Mark[]
  /** Places of the marks that are drawn whatever else is. */
  readonly points: readonly number[]
  readonly spans: readonly Span[]
  /** Stretches in which two were inside that must not be. */
  readonly clashes: readonly { readonly from: number; readonly to: number }[]
  readonly first: number
  readonly last: number
  readonly lost: readonly Lost[]
  /** A story: its times are only an order. */
  readonly steps?: boolean
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
  /** Whether it ends with a broken promise: then two that are inside at its end are a clash. While it holds, a holder that stands
   * still may seem inside although its time is over. */
  readonly broken: boolean
  readonly asks: Mark | undefined
  readonly lost: readonly Lost[]
}

export function drawingOf({ marks, lanes, broken, asks, lost }: DrawingParts): Drawing {
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
  const clashes = broken ? clashesOf(spans, end) : []
  const points = marks.flatMap((mark, place) => (isPoint(mark) ? [place] : []))
  const laneOf = new Map(lanes.map((name, lane) => [name, lane]))
  return { lanes, laneOf, marks, points, spans, clashes, first, last: end, longest, asks, lost }
}

/** Somebody is inside when it ends. */
function isOpen(marks: readonly Mark[]): boolean {
  const inside = new Set<string>()
  for (const { kind, node, what } of marks) {
    if (kind === 'emit' && ENTERS.test(what)) inside.add(`${node} ${nameIn(what)}`)
    if (kind === 'emit' && LEAVES.test(what)) inside.delete(`${node} ${nameIn(what)}`)
    if (kind !== 'crash' && kind !== 'stop') continue
    for (const one of inside) if (one.startsWith(`${node} `)) inside.delete(one)
  }
  return inside.size > 0
}

/** Which lock, where what is told has a name. */
const nameIn = (what: string): string => /\bname=(\S+)/.exec(what)?.[1] ?? ''

function spansOf(marks: readonly Mark[], lanes: readonly string[], end: number): Span[] {
  const open = new Map<string, Omit<Span, 'to'>>()
  const spans: Span[] = []
  const begin = (kind: SpanKind, node: string, from: number, of = '') => {
    const key = `${kind} ${node} ${of}`
    if (!open.has(key)) open.set(key, { kind, of, lane: lanes.indexOf(node), from })
  }
  const finish = (kind: SpanKind, node: string, to: number, of = '') => {
    const key = `${kind} ${node} ${of}`
    const found = open.get(key)
    if (found === undefined) return
    open.delete(key)
    spans.push({ ...found, to })
  }
  const leaveAll = (node: string, to: number) => {
    const lane = lanes.indexOf(node)
    for (const span of open.values())
      if (span.kind === 'inside' && span.lane === lane) finish('inside', node, to, span.of)
  }
  for (const { kind, node, at, what } of marks) {
    if (kind === 'emit' && ENTERS.test(what)) begin('inside', node, at, nameIn(what))
    if (kind === 'emit' && LEAVES.test(what)) finish('inside', node, at, nameIn(what))
    if (kind === 'crash' || kind === 'stop') {
      leaveAll(node, at)
      finish('paused', node, at)
      begin('down', node, at)
    }
    if (kind === 'start' || kind === 'restart') finish('down', node, at)
    if (kind === 'pause') begin('paused', node, at)
    if (kind === 'resume') finish('paused', node, at)
  }
  for (const span of open.values()) spans.push({ ...span, to: end })
  return spans.filter(span => span.lane >= 0).sort((a, b) => a.from - b.from)
}

/** Those who are inside the same when it ends: from when the later one came in. */
function clashesOf(spans: readonly Span[], end: number): { from: number; to: number }[] {
  const inside = spans.filter(({ kind, to }) => kind === 'inside' && to >= end)
  const names = [...new Set(inside.map(({ of }) => of))]
  return names.flatMap(name => {
    const same = inside.filter(({ of }) => of === name)
    const lanes = new Set(same.map(({ lane }) => lane))
    return lanes.size < 2 ? [] : [{ from: Math.max(...same.map(({ from }) => from)), to: end }]
  })
}

/** What is drawn one by one even where everything else is too much: what users are told and do, crashes and pauses. */
function isPoint({ kind }: Mark): boolean {
  return kind !== 'deliver' && kind !== 'timer' && kind !== 'start'
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
