// A server of ours that says yes to everybody, over the real transport and under its own certificate: also to those
// who wait in its list, at once and as often as they ask.

import type { AnyProtocol } from '../../src/core/index.ts'
import type { LockMessage } from '../../src/lock/index.ts'
import { alwaysYes } from '../../src/lock/proof/index.ts'
import type { Liar } from '../../src/simulator/index.ts'
import * as node from '../lying-node.ts'

/** `folder` is a server's, as `coterie init` made it. */
export async function startLyingServer(folder: string): Promise<{ stop(): Promise<void> }> {
  const server = await node.startLyingServer(folder, { lock: () => [givesToAll] })
  server.tell({ part: 'lock', lie: givesToAll.name, perSecond: 0 })
  return server
}

const givesToAll: Liar = {
  name: 'gives-to-all',
  corrupt(honest: AnyProtocol): AnyProtocol {
    const liar = alwaysYes.corrupt(honest)
    return {
      name: `${liar.name}, giving to all`,
      init: liar.init,
      step(state, input, turn) {
        const body = input.kind === 'message' ? (input.body as LockMessage) : undefined
        if (input.kind !== 'message' || body?.kind !== 'wait') return liar.step(state, input, turn)
        const { name, attempt, token, ping, ttl } = body
        const given: LockMessage = { kind: 'given', name, attempt, token, grant: 1, ping, held: ttl }
        turn.do({ kind: 'send', to: input.from, body: given })
      },
    }
  },
}
