// What a traitor can say to the clients of the lock: yes and no as the liars do, a token too low, the truth, and nothing.

import { honestWord, type Palette, type PaletteWord, silence } from '../../simulator/index.ts'
import { type ClientMessage, TOKEN_MAX } from '../wire.ts'
import { no, yes } from './liars.ts'

const tooLow: PaletteWord = {
  letter: 't',
  name: 'too low',
  title: 'its token is too low: a larger one was granted',
  say: ({ body }) =>
    body.kind === 'try' || body.kind === 'wait'
      ? [{ kind: 'tooLow', name: body.name, attempt: body.attempt, maximum: TOKEN_MAX }]
      : [],
}

function told(word: Omit<PaletteWord, 'say'>, answer: typeof yes): PaletteWord {
  return {
    ...word,
    say: ({ body }) => {
      const said = answer(body)
      return said === undefined ? [] : [said]
    },
  }
}

/** The words of a traitor among the lock's servers. */
export const lockPalette: Palette = {
  words: [
    told({ letter: 'y', name: 'yes', title: 'it is yours' }, yes),
    told({ letter: 'n', name: 'no', title: 'somebody else has it' }, no),
    tooLow,
    silence,
    honestWord,
  ],
  asks: (body: ClientMessage) => ['try', 'wait', 'renew', 'keep'].includes(body.kind),
}
