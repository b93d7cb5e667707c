// A member's part in private runs. Its owner serves arms or asks for runs; one that is named as shuffler or comparator takes
// part when it is invited. A member that restarts goes on with the runs that it saved: an arm as soon as its owner serves
// it again, a user as soon as its caller asks again.

import { type NodeId, unreachable } from '../../core/index.ts'
import { forgottenBy } from '../party.ts'
import { closeFile, endHere, endWith, give, hear, onHead, onHeads, runOfArm, wake, watchRun } from './hosting.ts'
import { charge, closeLog, log, logHeard } from './log.ts'
import { onAccepted, onAsk, onCall, onCancel, onConsent, onDeclined, onInvite, onSeek, onServes } from './meeting.ts'
import { restored } from './restoring.ts'
import {
  type Announced,
  accountFor,
  armKey,
  type BanditMember,
  type BanditMemberCommand,
  type BanditMemberScene,
  type BanditMemberSettings,
  checkMember,
  KNOWN_MAX,
  memberTimers,
} from './state.ts'
import type { MemberMessage, Role } from './wire.ts'

/** The part of a member that takes part in private runs. */
export function banditMember(settings: BanditMemberSettings): BanditMember {
  return {
    name: 'bandits',
    init: (self, _peers, saved) => restored(self, saved, settings),
    step(state, input, turn) {
      const scene: BanditMemberScene = { state, settings, turn, own: [], over: [] }
      switch (input.kind) {
        case 'start':
          onStart(scene)
          break
        case 'message':
          onMessage(scene, input.from, input.body)
          break
        case 'command':
          onCommand(scene, input.body)
          break
        case 'timer':
          onTimer(scene, memberTimers.due(input.name))
          break
        case 'stop':
          return
      }
      advance(scene)
    },
    check: checkMember,
  }
}

/** Shuffler, comparator and who draws for a search need nobody's word to go on. */
function onStart(scene: BanditMemberScene): void {
  for (const hosted of scene.state.runs.values()) {
    watchRun(scene, hosted)
    for (const role of ['shuffler', 'comparator'] as const) wake(scene, hosted, role)
    if (hosted.terms.level === 'sr-secured') wake(scene, hosted, 'arm')
  }
}

function onMessage(scene: BanditMemberScene, from: NodeId, body: MemberMessage): void {
  switch (body.kind) {
    case 'call':
      return onCall(scene, from, body.name)
    case 'serves':
      return onServes(scene, from, body)
    case 'invite':
      return onInvite(scene, from, body)
    case 'accepted':
      return onAccepted(scene, from, body)
    case 'declined':
      return onDeclined(scene, from, body)
    case 'over':
      return onOver(scene, from, body.id)
    case 'forgot':
      return onForgot(scene, from, body.id)
    case 'said':
      return onSaid(scene, from, body)
    case 'head':
      return onHead(scene, from, body)
    default:
      return unreachable(body, 'message')
  }
}

function onCommand(scene: BanditMemberScene, body: BanditMemberCommand): void {
  switch (body.kind) {
    case 'serve':
      return onServe(scene, body)
    case 'retire':
      return onRetire(scene, body.name, body.arm)
    case 'consent':
      return onConsent(scene, body.id, body.why)
    case 'reward':
      return onReward(scene, body)
    case 'fail':
      return onFail(scene, body.id)
    case 'ask':
      return onAsk(scene, body.wanted)
    case 'cancel':
      return onCancel(scene, body.name)
    case 'primes':
      return onPrimes(scene, body)
    case 'changed':
      return onChanged(scene, body.view)
    case 'logs':
      return onLogs(scene, body)
    default:
      return unreachable(body, 'command')
  }
}

function onTimer(scene: BanditMemberScene, { kind, about }: ReturnType<typeof memberTimers.due>): void {
  switch (kind) {
    case 'seek':
      return onSeek(scene, about)
    case 'expire':
      return onExpire(scene, about)
    case 'machine':
      return onMachine(scene, about)
    case 'heads':
      return onHeads(scene, about)
  }
}

/** An arm that was in a run when this member stopped goes on with it. */
function onServe(scene: BanditMemberScene, { name, arm, runs }: BanditMemberCommand & { kind: 'serve' }): void {
  scene.state.serving.set(armKey(name, arm), runs)
  const hosted = runOfArm(scene.state, name, arm)
  if (hosted !== undefined) wake(scene, hosted, 'arm')
}

/** Serves no other run. One that it is in ends with an error, as its source is gone. */
function onRetire(scene: BanditMemberScene, name: string, arm: string): void {
  const { state } = scene
  state.serving.delete(armKey(name, arm))
  const hosted = runOfArm(state, name, arm)
  if (hosted !== undefined) give(scene, hosted, 'arm', { kind: 'command', body: { kind: 'fail' } })
}

function onReward(scene: BanditMemberScene, { id, number, steps }: BanditMemberCommand & { kind: 'reward' }): void {
  const hosted = scene.state.runs.get(id)
  if (hosted === undefined) return
  log(scene, hosted, { kind: 'paid', number, steps })
  give(scene, hosted, 'arm', { kind: 'command', body: { kind: 'reward', number, steps } })
}

function onFail(scene: BanditMemberScene, id: string): void {
  const hosted = scene.state.runs.get(id)
  if (hosted !== undefined) give(scene, hosted, 'arm', { kind: 'command', body: { kind: 'fail' } })
}

function onPrimes(scene: BanditMemberScene, { id, p, q }: BanditMemberCommand & { kind: 'primes' }): void {
  const hosted = scene.state.runs.get(id)
  if (hosted === undefined) return
  const holder = hosted.terms.level === 'sr-secured' ? 'comparator' : 'user'
  give(scene, hosted, holder, { kind: 'command', body: { kind: 'primes', p, q } })
}

function onChanged({ state, settings }: BanditMemberScene, view: Announced): void {
  const { member: id } = view
  const keys = settings.keysOf(view)
  if (id === state.self || keys === undefined) return
  const [oldest] = state.known.keys()
  if (!state.known.has(id) && state.known.size >= KNOWN_MAX && oldest !== undefined) state.known.delete(oldest)
  state.known.set(id, { id, ...keys })
}

/** What is on the disk counts, and not what was counted before: somebody may have removed some. */
function onLogs(scene: BanditMemberScene, { user, bytes }: BanditMemberCommand & { kind: 'logs' }): void {
  scene.state.logged.delete(user)
  charge(scene, user, bytes)
}

/** Every party of the run commits its log, and says it again where the word was lost. */
function onOver(scene: BanditMemberScene, from: NodeId, id: string): void {
  const { state, turn } = scene
  if (state.invited.get(id)?.user === from) state.invited.delete(id)
  const hosted = state.runs.get(id)
  if (hosted?.terms.user === from) {
    if (hosted.terms.audit) {
      const head = closeLog(scene, hosted)
      closeFile(scene, hosted, head)
      const [oldest] = state.closed.keys()
      if (state.closed.size >= CLOSED_MAX && oldest !== undefined) state.closed.delete(oldest)
      state.closed.set(id, head)
    }
    endHere(scene, hosted, 'the run is over')
  }
  const head = state.closed.get(id)
  if (head !== undefined) turn.do({ kind: 'send', to: from, body: { kind: 'head', id, head } })
}

/** Last words that are kept for a user that did not hear them. */
const CLOSED_MAX = 64

/** All parties knew the run before it began: one that does not has lost what it knew, and it cannot go on. */
function onForgot(scene: BanditMemberScene, from: NodeId, id: string): void {
  const hosted = scene.state.runs.get(id)
  if (hosted === undefined) return
  hear(scene, hosted, from, { kind: 'stop', why: forgottenBy(from) })
}

/** Only a shuffler that is told to begin, and an arm that has its turn, must know the run: keys are said before all do. */
function onSaid(scene: BanditMemberScene, from: NodeId, said: MemberMessage & { kind: 'said' }): void {
  const { id, body } = said
  const { state, turn } = scene
  const hosted = state.runs.get(id)
  if (hosted !== undefined) {
    if (!hosted.terms.audit || logHeard(scene, hosted, from, said)) hear(scene, hosted, from, body)
    return
  }
  if (!MUST_KNOW.has(body.kind)) return
  if (!state.invited.has(id)) turn.do({ kind: 'send', to: from, body: { kind: 'forgot', id } })
}

const MUST_KNOW: ReadonlySet<string> = new Set(['begin', 'turn', 'boxes', 'ringTurn', 'ringPass', 'phase', 'added'])

function onExpire(scene: BanditMemberScene, id: string): void {
  const hosted = scene.state.runs.get(id)
  if (hosted !== undefined) endHere(scene, hosted, 'nobody waits for the run any more')
}

function onMachine(scene: BanditMemberScene, about: string): void {
  const [id, role, ...name] = about.split(' ')
  const hosted = scene.state.runs.get(id!)
  if (hosted !== undefined) give(scene, hosted, role as Role, { kind: 'timer', name: name.join(' ') })
}

/** Words to oneself are heard, runs that have ended are let go, and the records are kept short. */
function advance(scene: BanditMemberScene): void {
  const { state, own, over } = scene
  for (let next = own.shift(); next !== undefined; next = own.shift()) hear(scene, next.hosted, state.self, next.body)
  for (const { hosted, event } of over) endWith(scene, hosted, event)
  accountFor(scene)
}
