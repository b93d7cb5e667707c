// What bench/page.ts measures in the browser.

import { draw } from '../../page/diagram/draw.ts'
import { drawingOf, type Mark } from '../../page/diagram/marks.ts'
import { lockPlayground } from '../../src/play/lock.ts'
import { printedPlayground } from '../../src/play/lock-printed.ts'
import { openAmong } from '../../src/play/open.ts'
import { Play, type Playground, type RunSpec } from '../../src/simulator/index.ts'

const FRAMES = 40
const SECONDS = 3
/** Runs that are drawn in turn. */
const SEEDS = 10
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

function timed(what: string, target: number, work: (frame: number) => void) {
  const times = Array.from({ length: FRAMES }, (_, frame) => {
    const start = performance.now()
    work(frame)
    return performance.now() - start
  }).sort((a, b) => a - b)
  return { what, unit: 'ms' as const, target, best: times[0]!, median: times[FRAMES >> 1]!, most: times.at(-1)! }
}

/** Frames in a second: as many as the browser asks for while each is drawn anew. */
async function rate(what: string, target: number, paint: (frame: number) => void) {
  const rates: number[] = []
  for (let second = 0; second < SECONDS; second++) {
    const start = performance.now()
    let count = 0
    while (performance.now() - start < 1_000) {
      await new Promise(resolve => requestAnimationFrame(resolve))
      paint(count++ % FRAMES)
    }
    rates.push((count * 1_000) / (performance.now() - start))
  }
  rates.sort((a, b) => b - a)
  return {
    what,
    unit: 'frames/s' as const,
    atLeast: true,
    target,
    best: rates[0]!,
    median: rates[SECONDS >> 1]!,
    most: rates[0]!,
  }
}

async function frames(count: number, share: number, perSecond: number) {
  const drawing = drawingOf({ marks: marks(count), lanes: LANES, broken: false, asks: undefined, lost: [] })
  const canvas = document.createElement('canvas')
  Object.assign(canvas, SIZE)
  document.body.append(canvas)
  const context = canvas.getContext('2d')!
  const width = drawing.last * share
  const paint = (frame: number) => {
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
  }
  const what = `${share === 1 ? 'all' : 'a window'} of ${count.toLocaleString('en')} events`
  const rows = [timed(`a frame, ${what}`, 1_000 / perSecond, paint), await rate(`scrubbing, ${what}`, perSecond, paint)]
  canvas.remove()
  return rows
}

function playedOnce(playgrounds: readonly Playground[], spec: RunSpec) {
  const playable = openAmong(playgrounds, spec.run)
  if (typeof playable === 'string') throw new Error(playable)
  const play = new Play(spec, playable)
  play.toEnd()
  return play
}

/** As the page does it after a change: the run anew with its states, what there is to draw, and the picture. */
function again(what: string, target: number, playgrounds: readonly Playground[], spec: RunSpec) {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, SIZE)
  const context = canvas.getContext('2d')!
  let events = 0
  const row = timed(what, target, frame => {
    const play = playedOnce(playgrounds, { ...spec, seed: spec.seed + (frame % SEEDS) })
    const lanes = play.nodes.map(({ id }) => id)
    const drawing = drawingOf({ marks: play.trace, lanes, broken: false, asks: undefined, lost: play.lost })
    events += play.trace.length
    const view = { from: drawing.first, to: drawing.last }
    const now = drawing.last
    draw(context, { drawing, view, size: SIZE, colours: COLOURS, cursor: 0, now, hover: undefined, ghost: undefined })
    context.getImageData(0, 0, 1, 1)
  })
  return { ...row, what: `${what}, ${Math.round(events / FRAMES).toLocaleString('en')} events` }
}

export async function all() {
  const lock: RunSpec = { run: { name: 'lock', servers: 7, liars: 1 }, seed: 1, acts: [], say: {} }
  const duel: RunSpec = { run: { name: 'lock-printed', servers: 7 }, seed: 1, acts: [], say: {} }
  return [
    // Two in one: a whole run with states within 150 ms, a change at 10,000 events within 100.
    again('the lock, 7 servers: a changed run, states, picture', 100, [lockPlayground], lock),
    again('the printed lock: a changed run, states, picture', 100, [printedPlayground], duel),
    ...(await frames(10_000, 1, 50)),
    ...(await frames(10_000, 0.05, 50)),
    ...(await frames(200_000, 1, 30)),
    ...(await frames(200_000, 0.01, 30)),
  ]
}
