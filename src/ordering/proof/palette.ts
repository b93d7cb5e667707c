// What a traitor can say to the clients of objects: an old state, an invented one, one that it calls committed, a refusal, the
// truth, and nothing.

import { type Asked, honestWord, type Palette, type PaletteWord, silence } from '../../simulator/index.ts'
import { orderingDefaults } from '../defaults.ts'
import type { ClientMessage, ServerMessage } from '../wire.ts'
import { aheadOf, refused, withInvented } from './liars.ts'

function twisted(
  word: Omit<PaletteWord, 'say'>,
  twist: (body: ServerMessage, to: string) => ServerMessage,
): PaletteWord {
  return { ...word, say: ({ honest, from }) => (honest as readonly ServerMessage[]).map(body => twist(body, from)) }
}

const old: PaletteWord = {
  letter: 'o',
  name: 'an old state',
  title: 'what it said first of this object, as if nothing had happened since',
  say: ({ honest, said }) => (honest as readonly ServerMessage[]).map(body => asOnce(body, said)),
}

// In answer to the question of today: under its rank and its query.
function asOnce(body: ServerMessage, said: Asked['said']): ServerMessage {
  const first = (said as readonly ServerMessage[]).find(
    one => one.kind === body.kind && 'object' in one && 'object' in body && one.object === body.object,
  )
  if (first === undefined) return body
  const tied = Object.entries(body).filter(([field]) => field === 'rank' || field === 'query')
  return { ...first, ...Object.fromEntries(tied) } as ServerMessage
}

/** The words of a traitor among the servers of objects. */
export const orderingPalette: Palette = {
  words: [
    old,
    twisted(
      { letter: 'i', name: 'an invented state', title: 'a proposal of the highest rank that nobody made' },
      (body, to) => withInvented(body, to, orderingDefaults.hash),
    ),
    twisted({ letter: 'c', name: 'committed', title: 'calls committed what nobody proposed' }, (body, to) =>
      aheadOf(body, to, orderingDefaults.hash),
    ),
    twisted({ letter: 'r', name: 'refuse', title: 'refuses, in the name of a higher rank' }, refused),
    silence,
    honestWord,
  ],
  asks: (body: ClientMessage) => body.kind === 'get' || body.kind === 'propose' || body.kind === 'read',
}
