// The space-time picture on a canvas: lanes from top to bottom, time from left to right. Only what is in the window is
// looked at; where that is more than can be told apart, messages become density, and what matters is still drawn.

import { shortWord } from '../words.ts'
import { drawDensity } from './density.ts'
import { ARROWS_MAX, AXIS, type Colours, type Ghost, laneY, type Picture, timeX, window } from './geometry.ts'
import type { Mark } from './marks.ts'
import { dot, head, line, pill } from './pens.ts'

export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { size, drawing, view, colours } = picture
  context.clearRect(0, 0, size.width, size.height)
  context.lineJoin = 'round'
  drawClashes(context, picture)
  drawAxis(context, picture)
  drawLanes(context, picture)
  const [from, to] = window(drawing, view)
  if (to - from > ARROWS_MAX) drawDensity(context, picture, from, to)
  else drawArrows(context, picture, from, to)
  if (to - from <= LABELS_MAX) drawLabels(context, picture, from, to)
  drawPoints(context, picture, from, to)
  drawLost(context, picture)
  drawCursor(context, picture)
  drawAsked(context, picture)
  if (picture.ghost !== undefined) drawGhost(context, picture, picture.ghost)
  context.globalAlpha = 1
  context.fillStyle = colours.ink
}

function drawClashes(context: CanvasRenderingContext2D, { drawing, size, view, colours, now }: Picture): void {
  for (const clash of drawing.clashes) {
    if (clash.from > now) continue
    const left = timeX(size, view, clash.from)
    const right = Math.max(left + 2, timeX(size, view, Math.min(now, clash.to)))
    context.globalAlpha = 0.13
    context.fillStyle = colours.broken
    context.fillRect(left, AXIS - 4, right - left, size.height - AXIS)
    context.globalAlpha = 1
    context.fillRect(left, AXIS - 4, 1.5, size.height - AXIS)
  }
}

/** Steps of time that people count in. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap(step => [step, step * 1e3, step * 1e6]).sort((a, b) => a - b)

function drawAxis(context: CanvasRenderingContext2D, { drawing, size, view, colours }: Picture): void {
  const ticks = Math.max(2, Math.floor(size.width / 110))
  const step = STEPS.find(each => (!drawing.steps || each >= 1_000) && (view.to - view.from) / each <= ticks) ?? 1e9
  context.font = '500 11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'center'
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = Math.round(timeX(size, view, at)) + 0.5
    context.globalAlpha = 0.5
    context.strokeStyle = colours.lane
    context.lineWidth = 1
    line(context, x, AXIS - 6, x, size.height - 4)
    context.globalAlpha = 1
    context.fillStyle = colours.soft
    context.fillText(drawing.steps ? String(at / 1000) : timeText(at), x, 12)
  }
}

export function timeText(micros: number): string {
  if (micros >= 1e6 && micros % 1e5 === 0) return `${micros / 1e6} s`
  const millis = micros / 1000
  return `${Number.isInteger(millis) ? millis : millis.toFixed(micros % 100 === 0 ? 1 : 3)} ms`
}

function drawLanes(context: CanvasRenderingContext2D, picture: Picture): void {
  const { drawing, size, view, colours, now } = picture
  const count = drawing.lanes.length
  context.lineWidth = 1.5
  context.strokeStyle = colours.lane
  for (let lane = 0; lane < count; lane++) {
    const y = laneY(size, count, lane)
    line(context, 0, y, size.width, y)
  }
  for (const { kind, lane, from, to } of drawing.spans) {
    if (from > now || to < view.from || from > view.to) continue
    const y = laneY(size, count, lane)
    const left = timeX(size, view, from)
    const right = Math.max(left + 3, timeX(size, view, Math.min(now, to)))
    if (kind === 'inside') {
      context.fillStyle = colours.clients[lane % colours.clients.length]!
      pill(context, left, y - 8, right - left, 16)
      context.fill()
      if (right - left < 54) continue
      context.fillStyle = colours.ground
      context.font = '650 11px system-ui, sans-serif'
      context.textAlign = 'left'
      context.fillText('inside', left + 10, y + 0.5)
    } else {
      context.fillStyle = colours.ground
      context.fillRect(left, y - 3, right - left, 6)
      context.strokeStyle = kind === 'down' ? colours.broken : colours.soft
      context.setLineDash(kind === 'down' ? [2, 5] : [7, 5])
      context.lineWidth = kind === 'down' ? 1.5 : 3
      line(context, left, y, right, y)
      context.setLineDash([])
      context.strokeStyle = colours.lane
      context.lineWidth = 1.5
    }
  }
}

/** Messages that are done with, and those to come, are drawn with one pen each; the others with their own, on top. */
function drawArrows(context: CanvasRenderingContext2D, picture: Picture, from: number, to: number): void {
  const { drawing, cursor, hover, now } = picture
  const [past, future, alone]: [number[], number[], number[]] = [[], [], []]
  for (let place = from; place < to; place++) {
    const mark = drawing.marks[place]!
    if (mark.sentAt === undefined || mark.from === undefined) continue
    if (place === cursor || place === hover || mark.lie) alone.push(place)
    else if (place <= cursor) past.push(place)
    else if (mark.sentAt <= now) alone.push(place)
    else future.push(place)
  }
  drawMany(context, picture, future, 0.16)
  drawMany(context, picture, past, 0.75)
  for (const place of alone) arrow(context, picture, drawing.marks[place]!, place)
}

function drawMany(context: CanvasRenderingContext2D, picture: Picture, places: readonly number[], alpha: number): void {
  const { drawing, size, view, colours } = picture
  const heights = drawing.lanes.map((_, lane) => laneY(size, drawing.lanes.length, lane))
  context.globalAlpha = alpha
  context.strokeStyle = colours.arrow
  context.fillStyle = colours.arrow
  context.lineWidth = 1.2
  // One by one: a path of thousands of lines takes longer than the lines.
  for (const place of places) {
    const mark = drawing.marks[place]!
    const x1 = timeX(size, view, mark.sentAt!)
    const y1 = heights[drawing.laneOf.get(mark.from!) ?? 0]!
    const x2 = timeX(size, view, mark.at)
    const y2 = heights[drawing.laneOf.get(mark.node) ?? 0]!
    line(context, x1, y1, x2, y2)
    head(context, x1, y1, x2, y2)
  }
  context.globalAlpha = 1
}

/** One message: whole once it has arrived, up to where it is while it is under way, and faint in what is to come. */
function arrow(context: CanvasRenderingContext2D, picture: Picture, mark: Mark, place: number): void {
  const { drawing, size, view, colours, cursor, hover, now } = picture
  const count = drawing.lanes.length
  const x1 = timeX(size, view, mark.sentAt!)
  const x2 = timeX(size, view, mark.at)
  const y1 = laneY(size, count, drawing.lanes.indexOf(mark.from!))
  const y2 = laneY(size, count, drawing.lanes.indexOf(mark.node))
  // While a traitor is asked, the question is what counts.
  const asking = drawing.asks !== undefined && cursor >= drawing.marks.length - 1
  const chosen = (place === cursor && !asking) || place === hover
  const arrived = place <= cursor
  const sent = mark.sentAt! <= now
  context.strokeStyle = mark.lie ? colours.lie : chosen ? colours.accent : colours.arrow
  context.fillStyle = context.strokeStyle
  context.lineWidth = (chosen ? 2.4 : 1.2) + (mark.lie ? 0.8 : 0)
  context.setLineDash(mark.lie ? [7, 4] : [])
  context.globalAlpha = arrived || chosen ? (chosen || mark.lie ? 1 : 0.75) : 0.16
  line(context, x1, y1, x2, y2)
  const part = sent && !arrived ? Math.min(1, (now - mark.sentAt!) / Math.max(1, mark.at - mark.sentAt!)) : undefined
  if (part !== undefined) {
    const x = x1 + (x2 - x1) * part
    const y = y1 + (y2 - y1) * part
    context.globalAlpha = 0.9
    line(context, x1, y1, x, y)
    context.setLineDash([])
    dot(context, x, y, mark.lie ? 4.5 : 3.5)
  }
  context.setLineDash([])
  if (arrived || part === undefined) head(context, x1, y1, x2, y2)
  context.globalAlpha = 1
}

/** Of more marks in the window the words would cover each other. */
const LABELS_MAX = 90

/** The answers in words, on their arrows. */
function drawLabels(context: CanvasRenderingContext2D, picture: Picture, from: number, to: number): void {
  const { drawing, size, view, colours, cursor } = picture
  const count = drawing.lanes.length
  context.font = '650 10.5px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (let place = from; place < Math.min(to, cursor + 1); place++) {
    const mark = drawing.marks[place]!
    if (mark.sentAt === undefined || mark.from === undefined) continue
    const { text, tone } = shortWord(mark.what)
    if (tone === 'other') continue
    const part = 0.36
    const x = timeX(size, view, mark.sentAt + (mark.at - mark.sentAt) * part)
    const y1 = laneY(size, count, drawing.lanes.indexOf(mark.from))
    const y = y1 + (laneY(size, count, drawing.lanes.indexOf(mark.node)) - y1) * part
    const width = context.measureText(text).width + 8
    context.fillStyle = colours.ground
    context.globalAlpha = 0.92
    pill(context, x - width / 2, y - 7.5, width, 15)
    context.fill()
    context.globalAlpha = 1
    context.fillStyle = mark.lie ? colours.lie : tone === 'yes' ? colours.held : colours.ink
    context.fillText(text, x, y + 0.5)
  }
}

/** Points that are drawn one by one; of more than this the rest is left to the list. */
const POINTS_MAX = 4_000

function drawPoints(context: CanvasRenderingContext2D, picture: Picture, from: number, to: number): void {
  const { drawing, size, view, colours, cursor, hover } = picture
  const lanes = drawing.lanes.length
  const crowded = to - from > ARROWS_MAX
  const count = crowded ? drawing.points.length : to - from
  let drawn = 0
  for (let each = 0; each < count && drawn < POINTS_MAX; each++) {
    const place = crowded ? drawing.points[each]! : from + each
    if (place < from) continue
    const mark = drawing.marks[place]!
    if (place >= to || mark.at > view.to) break
    if (mark.kind === 'deliver') continue
    drawn++
    const x = timeX(size, view, mark.at)
    const y = laneY(size, lanes, drawing.laneOf.get(mark.node) ?? 0)
    const chosen = place === cursor || place === hover
    context.globalAlpha = place <= cursor || chosen ? 1 : 0.25
    point(context, colours, mark, x, y)
    if (!chosen) continue
    context.strokeStyle = colours.accent
    context.lineWidth = 2
    context.beginPath()
    context.arc(x, y, 10, 0, 2 * Math.PI)
    context.stroke()
  }
  context.globalAlpha = 1
}

function point(context: CanvasRenderingContext2D, colours: Colours, mark: Mark, x: number, y: number): void {
  context.lineWidth = 2
  switch (mark.kind) {
    case 'crash':
    case 'stop':
      context.strokeStyle = colours.broken
      context.lineWidth = 3
      line(context, x - 6, y - 6, x + 6, y + 6)
      return line(context, x - 6, y + 6, x + 6, y - 6)
    case 'emit':
      context.fillStyle = colours.accent
      context.strokeStyle = colours.ground
      context.beginPath()
      context.moveTo(x, y - 7)
      context.lineTo(x + 7, y)
      context.lineTo(x, y + 7)
      context.lineTo(x - 7, y)
      context.closePath()
      context.fill()
      return context.stroke()
    case 'command':
      context.fillStyle = colours.ink
      context.fillRect(x - 4, y - 4, 8, 8)
      return
    case 'restart':
    case 'resume':
      context.strokeStyle = colours.held
      context.beginPath()
      context.arc(x, y, 5, 0, 2 * Math.PI)
      return context.stroke()
    default:
      context.fillStyle = colours.soft
      return dot(context, x, y, 2.5)
  }
}

/** The message that waits for a traitor's word: whole, with a question mark where it stands. */
function drawAsked(context: CanvasRenderingContext2D, picture: Picture): void {
  const { drawing, size, view, colours, cursor } = picture
  const { asks, lanes } = drawing
  if (asks === undefined || cursor < drawing.marks.length - 1) return
  const x2 = timeX(size, view, asks.at)
  const y2 = laneY(size, lanes.length, lanes.indexOf(asks.node))
  context.strokeStyle = colours.accent
  context.lineWidth = 2.4
  line(context, timeX(size, view, asks.sentAt!), laneY(size, lanes.length, lanes.indexOf(asks.from!)), x2, y2)
  context.fillStyle = colours.lie
  dot(context, x2, y2, 12)
  context.fillStyle = colours.ground
  context.font = '700 15px system-ui, sans-serif'
  context.textAlign = 'center'
  context.fillText('?', x2, y2 + 1)
}

/** Of lost messages, as many as can be told apart. */
const LOST_MAX = 500

/** A message that never arrives: the beginning of its arrow, and a cross. */
function drawLost(context: CanvasRenderingContext2D, { drawing, size, view, colours, now }: Picture): void {
  const { lost, lanes } = drawing
  context.globalAlpha = 0.9
  for (const { from, to, sentAt } of lost.slice(0, LOST_MAX)) {
    if (sentAt > now || sentAt < view.from || sentAt > view.to) continue
    const x = timeX(size, view, sentAt)
    const y = laneY(size, lanes.length, lanes.indexOf(from))
    const down = lanes.indexOf(to) > lanes.indexOf(from) ? 1 : -1
    context.strokeStyle = colours.arrow
    context.lineWidth = 1.2
    context.setLineDash([2, 3])
    line(context, x, y, x + 14, y + 20 * down)
    context.setLineDash([])
    context.strokeStyle = colours.broken
    context.lineWidth = 1.8
    line(context, x + 11, y + 17 * down, x + 17, y + 23 * down)
    line(context, x + 17, y + 17 * down, x + 11, y + 23 * down)
  }
  context.globalAlpha = 1
}

function drawCursor(context: CanvasRenderingContext2D, { size, view, colours, now }: Picture): void {
  const x = timeX(size, view, now)
  if (x < 0 || x > size.width) return
  context.globalAlpha = 1
  context.strokeStyle = colours.accent
  context.lineWidth = 1.5
  line(context, x, AXIS - 6, x, size.height)
  context.fillStyle = colours.accent
  context.beginPath()
  context.moveTo(x - 5, AXIS - 12)
  context.lineTo(x + 5, AXIS - 12)
  context.lineTo(x, AXIS - 4)
  context.closePath()
  context.fill()
}

function drawGhost(context: CanvasRenderingContext2D, picture: Picture, ghost: Ghost): void {
  const { drawing, size, view, colours } = picture
  const lanes = drawing.lanes.length
  context.strokeStyle = colours.accent
  context.fillStyle = colours.accent
  context.setLineDash([4, 4])
  context.lineWidth = 2.5
  if (ghost.kind === 'hold') {
    const mark = drawing.marks[ghost.mark]!
    const x1 = timeX(size, view, mark.sentAt!)
    const y1 = laneY(size, lanes, drawing.lanes.indexOf(mark.from!))
    const x2 = timeX(size, view, ghost.to)
    const y2 = laneY(size, lanes, drawing.lanes.indexOf(mark.node))
    line(context, x1, y1, x2, y2)
    context.setLineDash([])
    head(context, x1, y1, x2, y2)
  } else {
    const left = timeX(size, view, Math.min(ghost.from, ghost.to))
    const right = timeX(size, view, Math.max(ghost.from, ghost.to))
    const [top, bottom] = ghost.kind === 'pause' ? [ghost.lane, ghost.lane] : ghost.lanes
    const y1 = laneY(size, lanes, Math.min(top, bottom)) - 9
    const y2 = laneY(size, lanes, Math.max(top, bottom)) + 9
    context.strokeRect(left, y1, Math.max(4, right - left), y2 - y1)
    context.globalAlpha = 0.12
    context.fillRect(left, y1, Math.max(4, right - left), y2 - y1)
  }
  context.setLineDash([])
  context.globalAlpha = 1
}
