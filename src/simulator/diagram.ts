// A space-time diagram of a trace: one line a node, time from left to right, arrows for messages. Who lies is marked; where
// there are few messages each has its word on it. Long stretches in which nothing happens are cut short, and say how long
// they are: a message that is late by half a second would otherwise press all others into one line.

import type { TraceEntry } from './trace.ts'

const LEFT = 110
const WIDTH = 1400
const LANE = 46
const TOP = 50
/** More arrows than this cannot be told apart. */
const ENTRIES_MAX = 3_000
/** With more arrows than this, words on them would cover each other. */
const WORDS_MAX = 60
const LIAR = '#b30000'
/** About so many marks on the axis of time. */
const TICKS = 8
/** A stretch without anything is long if it takes more than this part of the whole, */
const LONG_PART = 1 / 20
/** it is cut if the rest takes less than this part of the whole, */
const BUSY_PART = 1 / 3
/** and is then drawn as this part of the rest. */
const CUT_PART = 1 / 6

const COLOURS: Readonly<Record<string, string>> = {
  crash: '#d55e00',
  restart: '#009e73',
  pause: '#e69f00',
  resume: '#009e73',
  stop: '#d55e00',
  emit: '#0072b2',
  command: '#cc79a7',
}

/** The messages of a run as an SVG picture. `liars` are the nodes that lie in it. */
export function diagram(trace: readonly TraceEntry[], title: string, liars: readonly string[] = []): string {
  const entries = trace.slice(-ENTRIES_MAX)
  const nodes = [
    ...new Set(entries.flatMap(entry => (entry.from === undefined ? [entry.node] : [entry.node, entry.from]))),
  ].sort()
  const scale = timeScale(entries)
  const x = (at: number) => LEFT + scale.drawn(at) * (WIDTH - LEFT - 30)
  const y = (node: string) => TOP + nodes.indexOf(node) * LANE
  const height = TOP + nodes.length * LANE + 24
  const worded = entries.filter(entry => entry.from !== undefined).length <= WORDS_MAX
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" markerWidth="6" markerHeight="6" refX="6" refY="3" orient="auto">',
    '<path d="M0,0 L6,3 L0,6 z" fill="#888"/></marker></defs>',
    `<rect width="100%" height="100%" fill="#fff"/><text x="10" y="22" font-size="15">${escapeXml(title)}</text>`,
    ...axis(scale, x, height),
    ...nodes.map(node => lane(node, y(node), liars.includes(node))),
    ...entries.map(entry => mark(entry, x, y, worded)),
    '</svg>',
  ].join('\n')
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly cut: boolean
}

interface TimeScale {
  /** Where a moment is drawn, from 0 to 1. */
  readonly drawn: (at: number) => number
  readonly stretches: readonly Stretch[]
  /** What is left of the whole when the cuts are taken out. */
  readonly busy: number
}

/** Between two moments at which something is sent or happens there is a stretch; long ones are cut short. */
function timeScale(entries: readonly TraceEntry[]): TimeScale {
  const moments = [...new Set(entries.flatMap(entry => [entry.sentAt ?? entry.at, entry.at]))].sort((a, b) => a - b)
  const gaps = moments.slice(1).map((to, place) => ({ from: moments[place]!, to }))
  const lengthOf = ({ from, to }: { readonly from: number; readonly to: number }) => to - from
  const sum = (parts: readonly { readonly from: number; readonly to: number }[]) =>
    parts.reduce((all, part) => all + lengthOf(part), 0)
  const whole = sum(gaps)
  const short = gaps.filter(gap => lengthOf(gap) <= whole * LONG_PART)
  const cuts = short.length > 0 && sum(short) < whole * BUSY_PART
  const busy = cuts ? sum(short) : whole
  const stretches = gaps.map(gap => ({ ...gap, cut: cuts && lengthOf(gap) > whole * LONG_PART }))
  const drawnLength = (stretch: Stretch) =>
    stretch.cut ? Math.min(lengthOf(stretch), busy * CUT_PART) : lengthOf(stretch)
  // Where each moment is drawn: arrows begin and end at moments, only marks of the axis are between them.
  const places = new Map<number, number>([[moments[0] ?? 0, 0]])
  let all = 0
  for (const stretch of stretches) {
    all += drawnLength(stretch)
    places.set(stretch.to, all)
  }
  const drawn = (at: number) => (places.get(at) ?? between(at)) / Math.max(1, all)
  const between = (at: number) => {
    const around = stretches.find(({ from, to }) => from <= at && at <= to)
    if (around === undefined) return 0
    return places.get(around.from)! + ((at - around.from) / lengthOf(around)) * drawnLength(around)
  }
  return { drawn, stretches, busy }
}

/** Milliseconds since the beginning of the run, at round numbers and at the ends of cuts; the cuts say how long they are. */
function axis({ stretches, busy }: TimeScale, x: (at: number) => number, height: number): string[] {
  if (stretches.length === 0) return []
  const rough = 10 ** Math.floor(Math.log10(busy / TICKS))
  const step = rough * ([1, 2, 5, 10].find(times => busy / (rough * times) <= TICKS) ?? 10)
  const cuts = stretches.filter(({ cut }) => cut)
  const ends = cuts.map(({ to }) => to)
  const round = stretches
    .filter(({ cut }) => !cut)
    .flatMap(({ from, to }) => {
      const count = Math.floor(to / step) - Math.ceil(from / step) + 1
      return Array.from({ length: Math.max(0, count) }, (_, place) => (Math.ceil(from / step) + place) * step)
    })
  const clear = [...new Set(round)].filter(at => ends.every(end => Math.abs(x(end) - x(at)) > LABEL_ROOM))
  return [
    ...cuts.map(({ from, to }) => {
      const [left, right] = [x(from), x(to)]
      const middle = ((left + right) / 2).toFixed(1)
      return (
        `<rect x="${left.toFixed(1)}" y="${TOP - 14}" width="${(right - left).toFixed(1)}" height="${height - TOP - 6}" fill="#f4f4f4"/>` +
        `<text x="${middle}" y="${TOP - 18}" text-anchor="middle" font-size="10" fill="#555">${milliseconds(to - from, 4)} later</text>`
      )
    }),
    ...[...clear, ...ends].map(at => {
      const across = x(at).toFixed(1)
      return (
        `<line x1="${across}" x2="${across}" y1="${TOP - 14}" y2="${height - 20}" stroke="#eee"/>` +
        `<text x="${across}" y="${height - 6}" text-anchor="middle" fill="#555">${milliseconds(at)}</text>`
      )
    }),
  ]
}

/** A label of the axis is about this wide. */
const LABEL_ROOM = 60

const milliseconds = (micros: number, digits = 6) => `${Number((micros / 1000).toPrecision(digits))} ms`

function lane(node: string, at: number, lies: boolean): string {
  const name = lies ? `${node} (lies)` : node
  const colour = lies ? LIAR : '#000'
  return `<text x="10" y="${at + 4}" fill="${colour}">${escapeXml(name)}</text><line x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}" stroke="${lies ? LIAR : '#ccc'}"/>`
}

function mark(entry: TraceEntry, x: (at: number) => number, y: (node: string) => number, worded: boolean): string {
  const label = `<title>${escapeXml(`${(entry.at / 1000).toFixed(3)} ms ${entry.kind} ${entry.what}`)}</title>`
  if (entry.from !== undefined && entry.sentAt !== undefined) {
    const [x1, y1, x2, y2] = [x(entry.sentAt), y(entry.from), x(entry.at), y(entry.node)].map(value => value.toFixed(1))
    return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#888" stroke-width=".7" marker-end="url(#tip)">${label}</line>${worded ? word(entry.what, [x1!, y1!, x2!, y2!]) : ''}`
  }
  const colour = COLOURS[entry.kind]
  if (colour === undefined) return ''
  return `<circle cx="${x(entry.at).toFixed(1)}" cy="${y(entry.node)}" r="4" fill="${colour}">${label}</circle>`
}

/** What a message says, in its own direction, a third of the way along: those that cross have theirs in other places. */
function word(what: string, ends: readonly string[]): string {
  const [x1, y1, x2, y2] = ends.map(Number) as [number, number, number, number]
  const [across, down] = [x1 + (x2 - x1) / 3, y1 + (y2 - y1) / 3]
  const turned = (Math.atan2(y2 - y1, Math.max(1, x2 - x1)) * 180) / Math.PI
  const letters = [...what]
  const text = letters.length > WORD_LETTERS ? `${letters.slice(0, WORD_LETTERS).join('')}…` : what
  const place = `${across.toFixed(1)} ${down.toFixed(1)}`
  return `<text transform="translate(${place}) rotate(${turned.toFixed(1)})" y="-2" font-size="9" fill="#555">${escapeXml(text)}</text>`
}

/** A longer word would run into the next lane. Room for what a server of the printed lock answers, "locked=false" included. */
const WORD_LETTERS = 30

// Control characters have no place in XML, not even escaped, and a lock's name may hold them.
function escapeXml(text: string): string {
  const printable = [...text].map(letter => (letter < ' ' ? '\uFFFD' : letter)).join('')
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
