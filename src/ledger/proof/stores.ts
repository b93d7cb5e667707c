// Stores that are lost, or put back from an old copy, one server's at a time; and who watches the votes of those who forgot.
//
// That a copy is an old one a server is told by the others (src/node/lives). Here it is told at each start, until it has
// it on disk.

import type { AnyProtocol, NodeId, Saved } from '../../core/index.ts'
import type { Micros, World } from '../../simulator/index.ts'
import type { LedgerServerState } from '../server/state.ts'
import type { LedgerMessage } from '../wire.ts'
import type { VotesChecker } from './checkers.ts'
import { type LedgerAct, LOOK_EVERY } from './plan.ts'

/** How many ledgers a server has when it is back. */
const LEDGERS = 2

export class Stores {
  private readonly world: World
  private readonly liars: ReadonlyMap<NodeId, number>
  private readonly votes: VotesChecker
  private readonly copies = new Map<NodeId, Saved>()
  /** Who has forgotten its votes; of them, who has an old copy and not yet written so down. */
  private readonly lost = new Set<NodeId>()
  private readonly old = new Set<NodeId>()
  /** Changes of keepers that are under way. They may name a key of the life before, which makes one more that has forgotten. */
  changing = 0

  constructor(world: World, liars: ReadonlyMap<NodeId, number>, votes: VotesChecker) {
    this.world = world
    this.liars = liars
    this.votes = votes
  }

  act(act: LedgerAct & { kind: 'lose' | 'copy' | 'putBack' }): void {
    const { server } = act
    if (act.kind === 'copy') this.copies.set(server, this.world.node(server).disk.read())
    else if (this.liars.has(server) || this.lost.size > 0 || this.changing > 0) return
    else if (act.kind === 'lose') this.forget(server, act.lasts, () => this.world.lose(server))
    else this.putBack(server, act.lasts)
  }

  private putBack(server: NodeId, lasts: Micros): void {
    const copy = this.copies.get(server)
    if (copy === undefined) return
    this.old.add(server)
    this.forget(server, lasts, () => this.world.putBack(server, copy))
  }

  private forget(server: NodeId, lasts: Micros, how: () => void): void {
    const { world } = this
    this.lost.add(server)
    how()
    this.votes.forgot(server)
    world.at(world.now + lasts, () => world.start(server))
    this.whenBack(server)
  }

  /** It has written down that it forgot. */
  kept(server: NodeId): void {
    this.old.delete(server)
  }

  // While it has forgotten its votes it counts as gone: another one's store is lost only when it is back.
  private whenBack(server: NodeId): void {
    const { world } = this
    world.at(world.now + LOOK_EVERY, () => {
      const state = world.node(server).host?.state as LedgerServerState | undefined
      const back =
        state !== undefined &&
        !this.old.has(server) &&
        state.ledgers.size >= LEDGERS &&
        [...state.ledgers.values()].every(one => one.lost === undefined)
      if (back) this.lost.delete(server)
      else this.whenBack(server)
    })
  }

  /** The same server; its votes are seen when it gives them, and when somebody hears them. */
  watched(id: NodeId, server: AnyProtocol): AnyProtocol {
    const isHonest = (one: NodeId) => !this.liars.has(one)
    return {
      ...server,
      step: (state, input, turn) => {
        if (input.kind === 'message' && isHonest(input.from)) this.hears(input.from, input.body)
        const seen = {
          now: turn.now,
          below: (bound: number) => turn.below(bound),
          bytes: (length: number) => turn.bytes(length),
          do: (effect: Parameters<typeof turn.do>[0]) => {
            if (effect.kind === 'send' && isHonest(id)) this.sees(id, effect.body)
            turn.do(effect)
          },
        }
        server.step(state, input, seen)
        if (input.kind !== 'start' || !this.old.has(id)) return
        for (const kind of ['lost', 'tellLoss']) server.step(state, { kind: 'command', body: { kind } }, seen)
      },
    }
  }

  private hears(from: NodeId, body: LedgerMessage): void {
    if (body.kind === 'vote') this.votes.heard(from, body.ledger, body.height)
  }

  private sees(id: NodeId, body: LedgerMessage): void {
    if (body.kind === 'vote') this.votes.votes(id, body.ledger, body.height, this.world.now)
  }
}
