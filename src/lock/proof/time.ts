// In the simulator a node's own clock is its wall clock too, and a server is told it when it starts, as by its driver.

import type { LockServer } from '../server/machine.ts'

export function toldTheTime(server: LockServer): LockServer {
  return {
    ...server,
    step(state, input, turn) {
      server.step(state, input, turn)
      if (input.kind !== 'start') return
      server.step(state, { kind: 'command', body: { kind: 'clock', micros: Math.floor(turn.now * 1000) } }, turn)
    },
  }
}
