// What a drag on the picture, or a button beside a message, does to the run.

import { type ManualAct, readMessage } from '../src/simulator/index.ts'
import type { Ghost } from './diagram/geometry.ts'
import type { Drawing, Mark } from './diagram/marks.ts'

/** What a button beside a message holds back by. */
const HOLD = 2_000

export function messageAct(kind: 'hold' | 'drop' | 'twice', mark: Mark, by = HOLD): ManualAct {
  const message = readMessage(mark.message!)!
  return kind === 'drop' ? { kind, ...message } : { kind, ...message, by: Math.max(0, Math.round(by)) }
}

/** The act that a drag means; nothing where the run knows no such message. */
export function ghostAct(ghost: Ghost, drawing: Drawing): ManualAct | undefined {
  const lasts = (from: number, to: number) => ({ at: Math.round(from), lasts: Math.max(1, Math.round(to - from)) })
  switch (ghost.kind) {
    case 'hold': {
      const mark = drawing.marks[ghost.mark]!
      return mark.message === undefined ? undefined : messageAct('hold', mark, ghost.to - mark.at)
    }
    case 'pause':
      return { kind: 'pause', node: drawing.lanes[ghost.lane]!, ...lasts(ghost.from, ghost.to) }
    case 'cut': {
      const [from, to] = ghost.lanes.map(lane => drawing.lanes[lane]!) as [string, string]
      // A line straight down would cut for no time at all: a tenth of the run is meant.
      const end = Math.max(ghost.to, ghost.from + (drawing.last - drawing.first) / 10)
      return { kind: 'cut', from, to, ...lasts(ghost.from, end) }
    }
  }
}
