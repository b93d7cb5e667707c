// Where things stand in the picture: lanes from top to bottom, time from left to right.

import { type Drawing, firstAtOrAfter } from './marks.ts'

/** What of the time is seen. */
export interface View {
  readonly from: number
  readonly to: number
}

export interface Colours {
  readonly ground: string
  readonly ink: string
  readonly soft: string
  readonly lane: string
  readonly arrow: string
  readonly accent: string
  readonly lie: string
  readonly broken: string
  readonly held: string
  readonly clients: readonly string[]
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** One picture: what, from when to when, and where the reader stands. */
export interface Picture {
  readonly drawing: Drawing
  readonly view: View
  readonly size: Size
  readonly colours: Colours
  /** The mark the reader stands at, and the time that is now: between two marks while it plays. */
  readonly cursor: number
  readonly now: number
  readonly hover: number | undefined
  /** What is being dragged: a message held, a node paused, a link cut. */
  readonly ghost: Ghost | undefined
}

export type Ghost =
  | { readonly kind: 'hold'; readonly mark: number; readonly to: number }
  | { readonly kind: 'pause'; readonly lane: number; readonly from: number; readonly to: number }
  | {
      readonly kind: 'cut'
      readonly lanes: readonly [number, number]
      readonly from: number
      readonly to: number
    }

/** More arrows than this cannot be told apart. */
export const ARROWS_MAX = 1_200
export const AXIS = 30
export const PADDING = 18
/** Room for half a mark at the ends. */
export const MARGIN = 14

export const laneY = (size: Size, lanes: number, lane: number): number =>
  AXIS + PADDING + ((size.height - AXIS - 2 * PADDING) * (lane + 0.5)) / Math.max(1, lanes)

export const timeX = (size: Size, view: View, at: number): number =>
  MARGIN + ((at - view.from) / (view.to - view.from)) * (size.width - 2 * MARGIN)

export const timeAt = (size: Size, view: View, x: number): number =>
  view.from + ((x - MARGIN) / (size.width - 2 * MARGIN)) * (view.to - view.from)

/** Marks whose arrow or point may be in the window: from and up to, by place. */
export function window(drawing: Drawing, view: View): [number, number] {
  const from = firstAtOrAfter(drawing.marks, view.from)
  const to = firstAtOrAfter(drawing.marks, view.to + drawing.longest + 1)
  return [from, to]
}
