// The membership of a group whose members talk to each other directly: SWIM with Lifeguard, every claim signed.
//
// Guarantees, whatever others do: nobody but a member itself can say that it lives, where, with which keys and attributes,
// or that it left; nothing that it says goes back to something older. With high probability and after some time: a member
// that is gone is noticed by all, and one that is here and can be reached is seen by all. Views are not agreed on: two
// members may see different groups for a while, so nothing that must be exclusive may rest on a view (that is what
// electorates are for).
//
// One door: everything that happens to a member comes in through `step`.

import { decode, type NodeId, type Protocol, type Saved } from '../../core/index.ts'
import type { MembershipCommand, MembershipEvent } from '../events.ts'
import type { MembershipSettings } from '../settings.ts'
import { type MembershipMessage, membershipRecord } from '../wire.ts'
import { onSuspicion } from './accusing.ts'
import { onAggregateTimer, onAverage, onAveraged } from './aggregation.ts'
import { beginLife, sayLeave } from './announcing.ts'
import {
  onAggregateCommand,
  onAnnounce,
  onContact,
  onGone,
  onLeave,
  onPublish,
  onSet,
  onStatus,
  refuse,
} from './commands.ts'
import { onGossip, onGossipTimer } from './gossiping.ts'
import { spendOn } from './peers.ts'
import { isAwaited, onAck, onAnswer, onNack, onPing, onProbe, onRelayed } from './probing.ts'
import { onPingRequest, onRelay } from './relaying.ts'
import { onJoin, onMore, onPage, onRepair, onSummary, onWant } from './repair.ts'
import {
  blankState,
  checkMembership,
  type MemberScene,
  type MembershipState,
  type MemberTimerDue,
  memberTimers,
} from './state.ts'

/** A member's gossip as a protocol. */
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
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, memberTimers.due(input.name))
        case 'stop':
          return onStop(scene)
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

function onStart(scene: MemberScene): void {
  const { state, settings, turn } = scene
  beginLife(scene, settings.rules.nextBoot(state.savedBoot))
  // Members that start together do not beat together.
  memberTimers.set(turn, 'probe', turn.below(Math.ceil(settings.beat.probeEvery)))
  memberTimers.set(turn, 'repair', turn.below(Math.ceil(settings.beat.repairEvery)))
  onJoin(scene)
}

function onMessage(scene: MemberScene, from: NodeId, body: MembershipMessage): void {
  // A member that has left only says so, until the process ends: its view is nobody's any more.
  if (from === scene.state.self || scene.state.leaving) return
  if (!isAwaited(scene, from, body) && !spendOn(scene, from, 1)) return
  switch (body.kind) {
    case 'ping':
      return onPing(scene, from, body)
    case 'ack':
      return onAck(scene, from, body)
    case 'pingRequest':
      return onPingRequest(scene, from, body)
    case 'relayed':
      return onRelayed(scene, from, body)
    case 'nack':
      return onNack(scene, from, body)
    case 'gossip':
      return onGossip(scene, from, body)
    case 'summary':
      return onSummary(scene, from, body)
    case 'page':
      return onPage(scene, from, body)
    case 'more':
      return onMore(scene, from, body)
    case 'want':
      return onWant(scene, from, body)
    case 'average':
      return onAverage(scene, from, body)
    case 'averaged':
      return onAveraged(scene, from, body)
  }
}

function onCommand(scene: MemberScene, body: MembershipCommand): void {
  if (scene.state.leaving && body.kind !== 'status') return refuse(scene, body.id, 'this member has left')
  switch (body.kind) {
    case 'set':
      return onSet(scene, body)
    case 'announce':
      return onAnnounce(scene, body)
    case 'leave':
      return onLeave(scene, body)
    case 'aggregate':
      return onAggregateCommand(scene, body)
    case 'publish':
      return onPublish(scene, body)
    case 'status':
      return onStatus(scene, body)
    case 'contact':
      return onContact(scene, body)
  }
}

function onTimer(scene: MemberScene, due: MemberTimerDue): void {
  switch (due.kind) {
    case 'probe':
      return onProbe(scene)
    case 'answer':
      return onAnswer(scene)
    case 'gossip':
      return onGossipTimer(scene)
    case 'repair':
      return onRepair(scene)
    case 'join':
      return onJoin(scene)
    case 'relay':
      return onRelay(scene, due.about)
    case 'suspicion':
      return onSuspicion(scene, due.about)
    case 'aggregate':
      return onAggregateTimer(scene, due.about)
    case 'gone':
      return onGone(scene, due.about)
  }
}

/** An orderly stop is a farewell, unless that was said already. */
function onStop(scene: MemberScene): void {
  if (!scene.state.leaving) sayLeave(scene)
}
