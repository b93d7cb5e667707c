// A space-time diagram of a trace: one line a node, time from left to right, arrows for messages. Who lies is marked; where
// there are few messages each has its word on it.

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
  const first = Math.min(...entries.map(entry => entry.sentAt ?? entry.at))
  const last = Math.max(...entries.map(entry => entry.at), first + 1)
  const x = (at: number) => LEFT + ((at - first) / (last - first)) * (WIDTH - LEFT - 30)
  const y = (node: string) => TOP + nodes.indexOf(node) * LANE
  const height = TOP + nodes.length * LANE + 24
  const worded = entries.filter(entry => entry.from !== undefined).length <= WORDS_MAX
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" markerWidth="6" markerHeight="6" refX="6" refY="3" orient="auto">',
    '<path d="M0,0 L6,3 L0,6 z" fill="#888"/></marker></defs>',
    `<rect width="100%" height="100%" fill="#fff"/><text x="10" y="22" font-size="15">${escapeXml(title)}</text>`,
    ...axis(first, last, x, height),
    ...nodes.map(node => lane(node, y(node), liars.includes(node))),
    ...entries.map(entry => mark(entry, x, y, worded)),
    '</svg>',
  ].join('\n')
}

/** Milliseconds since the beginning of the run, at round numbers. */
function axis(first: number, last: number, x: (at: number) => number, height: number): string[] {
  const span = last - first
  if (!Number.isFinite(span)) return []
  const rough = 10 ** Math.floor(Math.log10(span / TICKS))
  const step = rough * ([1, 2, 5, 10].find(times => span / (rough * times) <= TICKS) ?? 10)
  const marks: string[] = []
  for (let at = Math.ceil(first / step) * step; at <= last; at += step) {
    const across = x(at).toFixed(1)
    marks.push(
      `<line x1="${across}" x2="${across}" y1="${TOP - 14}" y2="${height - 20}" stroke="#eee"/>` +
        `<text x="${across}" y="${height - 6}" text-anchor="middle" fill="#555">${Number((at / 1000).toPrecision(12))} ms</text>`,
    )
  }
  return marks
}

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

/** A longer word would run into the next lane. */
const WORD_LETTERS = 28

// Control characters have no place in XML, not even escaped, and a lock's name may hold them.
function escapeXml(text: string): string {
  const printable = [...text].map(letter => (letter < ' ' ? '\uFFFD' : letter)).join('')
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
