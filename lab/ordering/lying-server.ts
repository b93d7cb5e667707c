// A server of ours that lies about objects, over the real transport and under its own certificate. For each thing that
// it is asked it chooses again how to lie: it shows every client another proposal, refuses ranks that nobody raised,
// invents operations, replays old words, or answers some clients only.

import { SettingsError } from '../../src/core/index.ts'
import { orderingLiars } from '../../src/ordering/proof/index.ts'
import { sha256 } from '../../src/runtime/hash.ts'
import type { Liar } from '../../src/simulator/index.ts'
import { startLyingServer } from '../lying-node.ts'

const IN_TURN = 'in turn'

/** `folder` is a server's, as `coterie init` made it; `lies` are names of liars, by default all of them. */
export async function startLyingObjects(
  folder: string,
  lies: readonly string[] = [],
): Promise<{ stop(): Promise<void> }> {
  const chosen = orderingLiars(sha256).filter(({ name }) => lies.length === 0 || lies.includes(name))
  if (chosen.length === 0) throw new SettingsError(`there is no liar ${lies.join(', ')}`)
  const server = await startLyingServer(folder, { ordering: () => [inTurn(chosen)] })
  server.tell({ part: 'ordering', lie: IN_TURN, perSecond: 0 })
  return server
}

/** One machine that lies now like this one, now like that one: they share the state of the honest machine. */
function inTurn(liars: readonly Liar[]): Liar {
  return {
    name: IN_TURN,
    corrupt(honest) {
      const machines = liars.map(liar => liar.corrupt(honest))
      return {
        name: `${honest.name}, lying`,
        init: honest.init,
        step(state, input, turn) {
          machines[turn.below(machines.length)]!.step(state, input, turn)
        },
      }
    },
  }
}
