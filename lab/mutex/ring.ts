// The token ring costs what its users make it cost: one message an entry when all want in, any number when few do.

import type { NodeId } from '../../src/core/index.ts'
import { type MutexEvent, tokenRing } from '../../src/papers/mutex/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'

const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }

/** Who wants in: all of them at once again, or one, this many laps after it left. */
export type Demand = 'all' | { readonly lapsBetween: number }

function ring(size: number): { world: World; members: readonly NodeId[] } {
  const world = new World({ seed: 1, network: EXACT })
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const { protocol, vocabulary } = tokenRing()
  for (const id of members) world.add({ id, protocol, peers: members, vocabulary })
  for (const id of members) world.start(id)
  return { world, members }
}

/** Messages from one entry to the next, on average over at least ten entries. The one that is in leaves at once. */
export function messagesPerEntry(size: number, demand: Demand): number {
  const { world, members } = ring(size)
  const lap = size * MESSAGE
  // Half a message time after the token has come by: so it just missed it.
  const pause = demand === 'all' ? 0 : (demand.lapsBetween - 1) * lap + MESSAGE / 2
  const seen: number[] = []
  world.listen((node, event) => {
    const { kind } = event as MutexEvent
    const { id } = node.spec
    if (kind === 'left') world.at(world.now + pause, () => world.command(id, { kind: 'enter', id: 1 }))
    if (kind !== 'entered') return
    seen.push(world.delivered)
    world.at(world.now, () => world.command(id, { kind: 'leave', id: 1 }))
  })
  for (const id of demand === 'all' ? members : members.slice(1, 2)) world.command(id, { kind: 'enter', id: 1 })
  world.run(lap * (demand === 'all' ? 10 : 12 * demand.lapsBetween))
  return (seen.at(-1)! - seen[0]!) / (seen.length - 1)
}

/** When the second member asks: as the token comes to it, as it comes to the next, or as it has just been passed on. */
export type Asking = 'token comes' | 'token at the next' | 'token just gone'

/** From the request to the entry, in message times. */
export function ringDelay(size: number, asking: Asking): number {
  const { world, members } = ring(size)
  const id = members[1]!
  const comes = MESSAGE * (1 + 2 * size)
  const at = comes + (asking === 'token at the next' ? MESSAGE : 0)
  let delay = Number.NaN
  world.listen((_node, event) => {
    if ((event as MutexEvent).kind === 'entered') delay = (world.now - at) / MESSAGE
  })
  const ask = () => world.command(id, { kind: 'enter', id: 1 })
  // What is put into the calendar first happens first: `ask` before the token that comes at the same moment, or,
  // put there at that moment, after it.
  world.at(at, asking === 'token just gone' ? () => world.at(at, ask) : ask)
  world.run(at + MESSAGE * (2 * size + 1))
  return delay
}
