// Servers that lie to clients of the printed lock, knowing its two words.

import type { AnyProtocol, NodeId } from '../../core/index.ts'
import { generalLiars, type Liar } from '../../simulator/index.ts'
import type { PrintedMessage } from './wire.ts'

/** A server that remembers nothing and says LOCKED to whom it likes. */
function answering(name: string, refuses: (client: NodeId) => boolean): AnyProtocol {
  return {
    name: `printed lock server, ${name}`,
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind !== 'message' || input.body.kind !== 'try') return
      const body: PrintedMessage = { kind: 'status', attempt: input.body.attempt, locked: refuses(input.from) }
      turn.do({ kind: 'send', to: input.from, body })
    },
  }
}

/** A server that says FREE to everybody. */
export const printedAlwaysYes: Liar = {
  name: 'always-yes',
  corrupt: () => answering('always-yes', () => false),
}

const alwaysNo: Liar = {
  name: 'always-no',
  corrupt: () => answering('always-no', () => true),
}

/** FREE to some clients, LOCKED to the others. */
const equivocating: Liar = {
  name: 'equivocating',
  corrupt: () => answering('equivocating', client => client.charCodeAt(client.length - 1) % 2 === 1),
}

/** Liars that agree on two favourites: the last two clients that came. */
function colluding(): Liar {
  const favourites: NodeId[] = []
  const refuses = (client: NodeId) => {
    if (!favourites.includes(client)) favourites.push(client)
    if (favourites.length > 2) favourites.shift()
    return !favourites.includes(client)
  }
  return { name: 'colluding', corrupt: () => answering('colluding', refuses) }
}

/** Fresh ones for each run: some remember. */
export function printedLiars(): readonly Liar[] {
  return [printedAlwaysYes, alwaysNo, equivocating, colluding(), ...generalLiars()]
}
