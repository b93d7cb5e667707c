// What bench/page.ts measures in the browser.

import { draw } from '../../page/diagram/draw.ts'
import { drawingOf, type Mark } from '../../page/diagram/marks.ts'
import { printedPlayground } from '../../src/play/lock-printed.ts'
import { openAmong } from '../../src/play/open.ts'
import { Play, type RunSpec } from '../../src/simulator/index.ts'

const FRAMES = 40
const SIZE = { width: 1_000, height: 700 }
const LANES = Array.from({ length: 12 }, (_, place) => `server-${place + 1}`)
const INK = '#123'
const COLOURS = {
  ground: '#fff',
  ink: INK,
  soft: INK,
  lane: '#ccc',
  arrow: '#888',
  accent: '#25c',
  lie: '#e60',
  broken: '#b11',
  held: '#071',
  clients: [INK],
}

function marks(count: number): Mark[] {
  return Array.from({ length: count }, (_, place) => ({
    at: place * 100 + 900,
    sentAt: place * 100,
    kind: 'deliver' as const,
    node: LANES[(place * 7) % LANES.length]!,
    from: LANES[(place * 5 + 1) % LANES.length]!,
    what: 'granted',
    lie: place % 97 === 0,
  }))
}

function timed(what: string, work: (frame: number) => void) {
  const times = Array.from({ length: FRAMES }, (_, frame) => {
    const start = performance.now()
    work(frame)
    return performance.now() - start
  }).sort((a, b) => a - b)
  return { what, best: times[0]!, median: times[FRAMES >> 1]!, most: times.at(-1)! }
}

function frames(count: number, share: number) {
  const drawing = drawingOf({ marks: marks(count), lanes: LANES, broken: false, asks: undefined, lost: [] })
  const canvas = document.createElement('canvas')
  Object.assign(canvas, SIZE)
  const context = canvas.getContext('2d')!
  const width = drawing.last * share
  return timed(`a frame, ${share === 1 ? 'all' : 'a window'} of ${count.toLocaleString('en')} events`, frame => {
    const from = (drawing.last - width) * (frame / FRAMES)
    const view = { from, to: from + width }
    const cursor = Math.floor((count * frame) / FRAMES)
    draw(context, {
      drawing,
      view,
      size: SIZE,
      colours: COLOURS,
      cursor,
      now: drawing.marks[cursor]!.at,
      hover: undefined,
      ghost: undefined,
    })
    // What was drawn is there only when somebody looks.
    context.getImageData(0, 0, 1, 1)
  })
}

function again() {
  const spec: RunSpec = { run: { name: 'lock-printed', servers: 7 }, seed: 1, acts: [], say: {} }
  const playable = openAmong([printedPlayground], spec.run)
  if (typeof playable === 'string') throw new Error(playable)
  let events = 0
  const row = timed('', frame => {
    const play = new Play({ ...spec, seed: frame + 1 }, playable)
    play.toEnd()
    events += play.trace.length
  })
  return { ...row, what: `a run of the printed lock anew, ${Math.round(events / FRAMES)} events` }
}

export function all() {
  return [frames(10_000, 1), frames(10_000, 0.05), frames(200_000, 1), frames(200_000, 0.01), again()]
}
