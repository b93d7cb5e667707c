// The membership of a group whose members talk to each other directly: SWIM with Lifeguard, every claim signed.
//
// Guarantees, whatever others do: nobody but a member itself can say that it lives, where, with which keys and attributes,
// or that it left; nothing that it says goes back to something older. With high probability and after some time: whoever
// is gone is noticed by all, and whoever is here and can be reached is seen by all. Views are not agreed on: two members
// may see different groups for a while, so nothing that must be exclusive may rest on a view (that is what electorates
// are for).
//
// One door: everything that happens to a member comes in through `step`.

import { decode, type Input, type Protocol, type Saved } from '../core/index.ts'
import { giveUp } from './accusing.ts'
import { aggregateRound, hearAverage, hearAveraged } from './aggregation.ts'
import { obey } from './commands.ts'
import { hearAll } from './hearing.ts'
import { type MembershipMessage, membershipRecord } from './messages.ts'
import { beginLife, sayLeave } from './own.ts'
import { spendOn } from './peers.ts'
import {
  askHelpers,
  gossip,
  hearAck,
  hearNack,
  hearPing,
  hearPingRequest,
  hearRelayed,
  isAwaited,
  probe,
  relayEnded,
} from './probing.ts'
import { hearMore, hearPage, hearSummary, hearWant, knock, repair } from './repair.ts'
import type { MembershipSettings } from './settings.ts'
import {
  blankState,
  checkMembership,
  type MembershipCommand,
  type MembershipEvent,
  type MembershipState,
  type Scene,
} from './state.ts'

export type Membership = Protocol<MembershipState, MembershipMessage, MembershipCommand, MembershipEvent>

/** The peers given at the start are the contacts through which a member enters. */
export function membership(settings: MembershipSettings): Membership {
  return {
    name: 'membership',
    init: (self, peers, saved) => blankState(self, peers, bootIn(saved), settings),
    step(state, input, turn) {
      const scene = { settings, state, turn }
      switch (input.kind) {
        case 'start':
          return start(scene)
        case 'stop':
          return state.leaving ? undefined : sayLeave(scene)
        case 'timer':
          return timer(scene, input.name)
        case 'message':
          return message(scene, input)
        case 'command':
          return obey(scene, input.body)
      }
    },
    check: checkMembership,
  }
}

function bootIn(saved: Saved): number {
  const last = saved.get('')?.at(-1)
  const record = last === undefined ? undefined : decode(membershipRecord, last)
  return record?.ok ? record.value.boot : 0
}

function start(scene: Scene): void {
  const { state, settings, turn } = scene
  beginLife(scene, settings.rules.nextBoot(state.savedBoot))
  // Members that start together do not beat together.
  turn.do({ kind: 'timer', name: 'probe', after: turn.below(Math.ceil(settings.beat.probeEvery)) })
  turn.do({ kind: 'timer', name: 'repair', after: turn.below(Math.ceil(settings.beat.repairEvery)) })
  knock(scene)
}

function timer(scene: Scene, name: string): void {
  const { state } = scene
  switch (name) {
    case 'probe':
      return state.leaving ? undefined : probe(scene)
    case 'answer':
      return askHelpers(scene)
    case 'gossip':
      return gossip(scene)
    case 'repair':
      return state.leaving ? undefined : repair(scene)
    case 'join':
      return knock(scene)
  }
  const [kind, about] = splitAt(name, ':')
  if (kind === 'relay') return relayEnded(scene, about)
  if (kind === 'aggregate') return aggregateRound(scene, about)
  if (kind === 'gone') return scene.turn.do({ kind: 'emit', event: { kind: 'gone', id: Number(about) } })
  const member = state.leaving ? undefined : state.members.get(about)
  if (kind === 'suspicion' && member?.status === 'suspect') giveUp(scene, member)
}

function splitAt(name: string, sign: string): [before: string, after: string] {
  const at = name.indexOf(sign)
  return [name.slice(0, at), name.slice(at + 1)]
}

function message(scene: Scene, { from, body }: Input<MembershipMessage, never> & { kind: 'message' }): void {
  // Who has left only says so, until the process ends: its view is nobody's any more.
  if (from === scene.state.self || scene.state.leaving) return
  if (!isAwaited(scene, from, body) && !spendOn(scene, from, 1)) return
  switch (body.kind) {
    case 'ping':
      return hearPing(scene, from, body)
    case 'ack':
      return hearAck(scene, from, body)
    case 'pingRequest':
      return hearPingRequest(scene, from, body)
    case 'relayed':
      return hearRelayed(scene, from, body)
    case 'nack':
      return hearNack(scene, from, body)
    case 'gossip':
      return hearAll(scene, from, body.claims)
    case 'summary':
      return hearSummary(scene, from, body)
    case 'page':
      return hearPage(scene, from, body)
    case 'more':
      return hearMore(scene, from, body)
    case 'want':
      return hearWant(scene, from, body)
    case 'average':
      return hearAverage(scene, from, body)
    case 'averaged':
      return hearAveraged(scene, from, body)
  }
}
