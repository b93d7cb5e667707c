// What gossip tells the election: who stands with which values, who seems gone, whose failure is certified; and what
// changes of the electorate this member's operator agreed to.
//
// These are hints. Who leads is decided by the promises of a quorum of the electorate, whatever gossip says: a wrong hint
// can delay an election, and cannot hold two.

import { type NodeId, unreachable } from '../../core/index.ts'
import type { Electorate } from '../../election/index.ts'
import type { MemberView } from '../../membership/index.ts'
import { isHere, membersWhere, standing } from './standing.ts'
import {
  checkHints,
  type HintCommand,
  type HintScene,
  type HintSettings,
  type HintState,
  type Hints,
  hintTimers,
  VIEWS_MAX,
} from './state.ts'
import { fulfil, onAdmit, onExpel, onExpire, onPropose, tell, UNASKED } from './wishes.ts'

export function hints(settings: HintSettings): Hints {
  return {
    name: 'hints',
    init: blankHints,
    step(state, input, turn) {
      const scene: HintScene = { state, settings, turn }
      switch (input.kind) {
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, input.name)
        case 'start':
        case 'message':
        case 'stop':
          return
      }
    },
    check: checkHints,
  }
}

function blankHints(): HintState {
  return {
    views: new Map(),
    open: new Set(),
    lastStanding: new Map(),
    failures: new Map(),
    leading: new Set(),
    wishes: new Map(),
    electorate: undefined,
  }
}

function onCommand(scene: HintScene, body: HintCommand): void {
  switch (body.kind) {
    case 'open':
      return onOpen(scene, body.name)
    case 'admit':
      return onAdmit(scene, body.id, body.member)
    case 'expel':
      return onExpel(scene, body.id, body.member)
    case 'changed':
      return onChanged(scene, body.view)
    case 'certified':
      return onCertified(scene, body.member)
    case 'leads':
      return onLeads(scene, body.name, body.leads)
    case 'electorate':
      return onElectorate(scene, body.electorate)
    default:
      return unreachable(body, 'command')
  }
}

function onTimer(scene: HintScene, name: string): void {
  const { kind, about } = hintTimers.due(name)
  switch (kind) {
    case 'propose':
      return onPropose(scene)
    case 'expire':
      return onExpire(scene, about)
  }
}

function onOpen(scene: HintScene, name: string): void {
  const { state } = scene
  if (state.open.has(name)) return
  state.open.add(name)
  tell(scene, { kind: 'open', name })
  tellStanding(scene, name)
}

function onChanged(scene: HintScene, view: MemberView): void {
  const { views, open } = scene.state
  if (!views.has(view.member) && views.size >= VIEWS_MAX && !dropOneGone(views)) return
  views.set(view.member, view)
  tell(scene, { kind: 'failed', members: membersWhere(views.values(), one => !isHere(one)) })
  tell(scene, { kind: 'seen', members: membersWhere(views.values(), isHere) })
  for (const name of open) tellStanding(scene, name)
}

function dropOneGone(views: HintState['views']): boolean {
  const [gone] = membersWhere(views.values(), view => !isHere(view))
  return gone !== undefined && views.delete(gone)
}

/** q members signed that somebody failed: it may stand in the next list, and a member that leads proposes that. */
function onCertified(scene: HintScene, member: NodeId): void {
  const { failures, leading } = scene.state
  const count = (failures.get(member) ?? 0) + 1
  const [oldest] = failures.keys()
  if (count === 1 && oldest !== undefined && failures.size >= VIEWS_MAX) failures.delete(oldest)
  failures.set(member, count)
  tell(scene, { kind: 'vouch', member, failures: count })
  if (leading.size > 0) tell(scene, { kind: 'change', id: UNASKED, change: { failures: [{ member, count }] } })
}

function onLeads({ state }: HintScene, name: string, leads: boolean): void {
  if (leads) state.leading.add(name)
  else state.leading.delete(name)
}

function onElectorate(scene: HintScene, electorate: Electorate): void {
  const { state } = scene
  state.electorate = electorate
  fulfil(scene)
  for (const name of state.open) tellStanding(scene, name)
}

/**
 * Only of those who may lead: a guest that stands, or a member that was expelled and still does, would be on the views of
 * some and not of others for as long as it stands, and attempts would fail one after the other.
 */
function tellStanding(scene: HintScene, name: string): void {
  const { state, settings } = scene
  const voters = state.electorate && new Set(state.electorate.members.map(({ id }) => id))
  const all = standing(state.views.values(), name, settings.attributes)
  const rows = voters === undefined ? all : all.filter(({ member }) => voters.has(member))
  const text = JSON.stringify(rows)
  if (state.lastStanding.get(name) === text) return
  state.lastStanding.set(name, text)
  tell(scene, { kind: 'view', name, rows })
}
