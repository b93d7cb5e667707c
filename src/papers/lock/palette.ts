// What a traitor can say to clients of the printed lock: its two words, the truth, and nothing.

import { honestWord, type Palette, type PaletteWord, silence } from '../../simulator/index.ts'
import type { PrintedMessage } from './wire.ts'

function status(letter: string, name: string, locked: boolean): PaletteWord {
  const title = locked ? 'somebody has been let in: stay out' : 'nobody has been let in: come in'
  return { letter, name, title, say: ({ body }) => [{ kind: 'status', attempt: body.attempt, locked }] }
}

/** The words of a traitor among the printed lock's servers. */
export const printedPalette: Palette = {
  words: [status('f', 'FREE', false), status('l', 'LOCKED', true), silence, honestWord],
  asks: (body: PrintedMessage) => body.kind === 'try',
}
