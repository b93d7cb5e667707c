// Where there are more messages than can be told apart: how many arrive, as heights.

import { AXIS, laneY, MARGIN, PADDING, type Picture, type View } from './geometry.ts'
import type { Drawing } from './marks.ts'

interface Density {
  readonly view: View
  readonly width: number
  /** Arrivals, and lies among them, in each column of each lane. */
  readonly counts: Uint16Array
  readonly lies: Uint8Array
  readonly most: number
}

/** Of each run the last one: while only the cursor moves, nothing is counted again. */
const densities = new WeakMap<Drawing, Density>()

function densityOf({ drawing, size, view }: Picture, from: number, to: number): Density {
  const known = densities.get(drawing)
  const same = known?.view.from === view.from && known.view.to === view.to && known.width === size.width
  if (known !== undefined && same) return known
  const columns = Math.ceil(size.width / 2)
  const counts = new Uint16Array(columns * drawing.lanes.length)
  const lies = new Uint8Array(counts.length)
  const scale = (size.width - 2 * MARGIN) / (view.to - view.from) / 2
  let most = 1
  for (let place = from; place < to; place++) {
    const mark = drawing.marks[place]!
    if (mark.sentAt === undefined) continue
    const column = Math.floor((mark.at - view.from) * scale + MARGIN / 2)
    const lane = drawing.laneOf.get(mark.node)
    if (column < 0 || column >= columns || lane === undefined) continue
    const count = ++counts[lane * columns + column]!
    if (mark.lie) lies[lane * columns + column] = 1
    if (count > most) most = count
  }
  const density = { view, width: size.width, counts, lies, most }
  densities.set(drawing, density)
  return density
}

/** Too many to draw one by one: how many arrive in each column of each lane, as its height; lies stand out, in dashes. */
export function drawDensity(context: CanvasRenderingContext2D, picture: Picture, from: number, to: number): void {
  const { drawing, size, colours } = picture
  const { counts, lies, most } = densityOf(picture, from, to)
  const columns = Math.ceil(size.width / 2)
  const lanes = drawing.lanes.length
  const scale = 1 / Math.log2(most + 1)
  const tall = Math.min(26, ((size.height - AXIS - 2 * PADDING) / lanes) * 0.7)
  const bars = new Path2D()
  const lied = new Path2D()
  for (let lane = 0; lane < lanes; lane++) {
    const y = laneY(size, lanes, lane)
    for (let column = 0; column < columns; column++) {
      const count = counts[lane * columns + column]!
      if (count === 0) continue
      const height = Math.max(2, tall * Math.log2(count + 1) * scale)
      bars.rect(column * 2, y - height / 2, 1.6, height)
      if (lies[lane * columns + column] === 0) continue
      lied.rect(column * 2, y - tall / 2 - 5, 2, 4)
      lied.rect(column * 2, y - tall / 2 - 11, 2, 4)
    }
  }
  context.globalAlpha = 0.7
  context.fillStyle = colours.arrow
  context.fill(bars)
  context.globalAlpha = 1
  context.fillStyle = colours.lie
  context.fill(lied)
}
