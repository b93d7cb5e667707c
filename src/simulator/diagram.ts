// A space-time diagram of a trace: one line a node, time from left to right, arrows for messages.

import type { TraceEntry } from './trace.ts'

const LEFT = 110
const WIDTH = 1400
const LANE = 46
const TOP = 50
/** More arrows than this cannot be told apart. */
const ENTRIES_MAX = 3_000

const COLOURS: Readonly<Record<string, string>> = {
  crash: '#d55e00',
  restart: '#009e73',
  pause: '#e69f00',
  resume: '#009e73',
  stop: '#d55e00',
  emit: '#0072b2',
  command: '#cc79a7',
}

/** The messages of a run as an SVG picture. */
export function diagram(trace: readonly TraceEntry[], title: string): string {
  const entries = trace.slice(-ENTRIES_MAX)
  const nodes = [
    ...new Set(entries.flatMap(entry => (entry.from === undefined ? [entry.node] : [entry.node, entry.from]))),
  ].sort()
  const first = Math.min(...entries.map(entry => entry.sentAt ?? entry.at))
  const last = Math.max(...entries.map(entry => entry.at), first + 1)
  const x = (at: number) => LEFT + ((at - first) / (last - first)) * (WIDTH - LEFT - 30)
  const y = (node: string) => TOP + nodes.indexOf(node) * LANE
  const height = TOP + nodes.length * LANE + 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="tip" markerWidth="6" markerHeight="6" refX="6" refY="3" orient="auto">',
    '<path d="M0,0 L6,3 L0,6 z" fill="#888"/></marker></defs>',
    `<rect width="100%" height="100%" fill="#fff"/><text x="10" y="22" font-size="15">${escapeXml(title)}</text>`,
    ...nodes.map(node => lane(node, y(node))),
    ...entries.map(entry => mark(entry, x, y)),
    '</svg>',
  ].join('\n')
}

function lane(node: string, at: number): string {
  return `<text x="10" y="${at + 4}">${escapeXml(node)}</text><line x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}" stroke="#ccc"/>`
}

function mark(entry: TraceEntry, x: (at: number) => number, y: (node: string) => number): string {
  const label = `<title>${escapeXml(`${(entry.at / 1000).toFixed(3)} ms ${entry.kind} ${entry.what}`)}</title>`
  if (entry.from !== undefined && entry.sentAt !== undefined) {
    const [x1, y1, x2, y2] = [x(entry.sentAt), y(entry.from), x(entry.at), y(entry.node)].map(value => value.toFixed(1))
    return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#888" stroke-width=".7" marker-end="url(#tip)">${label}</line>`
  }
  const colour = COLOURS[entry.kind]
  if (colour === undefined) return ''
  return `<circle cx="${x(entry.at).toFixed(1)}" cy="${y(entry.node)}" r="4" fill="${colour}">${label}</circle>`
}

// Control characters have no place in XML, not even escaped, and a lock's name may hold them.
function escapeXml(text: string): string {
  const printable = [...text].map(letter => (letter < ' ' ? '\uFFFD' : letter)).join('')
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
