// The machines of the runs that a member takes part in: each hears the words that are for it, its timers and records are
// kept apart, and what it tells is told of its run.

import { type AnyProtocol, type Effect, type Input, NOTHING_SAVED, type NodeId, ownTurn } from '../../core/index.ts'
import { banditArm } from '../arm/machine.ts'
import type { ArmState } from '../arm/state.ts'
import { banditComparator } from '../comparator/machine.ts'
import { NOTHING } from '../party.ts'
import type { BanditRun, BanditSettings, Level } from '../settings.ts'
import { banditShuffler } from '../shuffler/machine.ts'
import type { BanditEvent } from '../table.ts'
import type { PrimesEvent } from '../thesis/common.ts'
import { searchComparator } from '../thesis/comparator/machine.ts'
import { ringController } from '../thesis/controller/machine.ts'
import { searchDrawer } from '../thesis/drawer/machine.ts'
import { searchJudge } from '../thesis/judge/machine.ts'
import { ringNode } from '../thesis/node/machine.ts'
import { searchOwner } from '../thesis/owner/machine.ts'
import { ringUser } from '../thesis/user/machine.ts'
import { banditUser } from '../user/machine.ts'
import type { BanditMessage } from '../wire.ts'
import type { LogEntry } from './entries.ts'
import { briefOf, closeLog, log, saidAbout } from './log.ts'
import {
  armKey,
  type BanditMemberEvent,
  type BanditMemberScene,
  type BanditMemberSettings,
  type BanditMemberState,
  type Hosted,
  memberTimers,
  noteEnded,
  type Playing,
  partiesOf,
  savedAnswer,
  saveRecord,
} from './state.ts'
import type { Head, MemberMessage, Role, Terms } from './wire.ts'

/** Who a word is for. */
const HEARD: Readonly<Record<BanditMessage['kind'], readonly Role[]>> = {
  runKey: ['arm', 'user'],
  share: ['arm', 'comparator'],
  want: ['arm', 'comparator', 'shuffler', 'user'],
  begin: ['shuffler'],
  turn: ['arm'],
  box: ['shuffler'],
  boxes: ['comparator'],
  tokens: ['shuffler'],
  answer: ['shuffler'],
  answers: ['user'],
  progress: ['user'],
  stop: ['shuffler', 'user'],
  again: ['shuffler'],
  sumKey: ['arm', 'shuffler', 'user'],
  ringKeys: ['arm'],
  ringTurn: ['arm'],
  ringPass: ['arm'],
  ringLead: ['shuffler'],
  ringSum: ['shuffler'],
  ringTotal: ['user'],
  values: ['arm'],
  phase: ['arm'],
  added: ['comparator', 'shuffler'],
  worst: ['shuffler'],
  best: ['user'],
}

/** Kept for longer than the user waits: it may be late by the drift of two clocks, and by a restart. */
const GRACE_MS = 60_000

/** A machine is made of its run and has no state of its own. */
const machines = new WeakMap<BanditRun, Map<Role, AnyProtocol>>()

function machineOf(
  { keys, repeat, rules, disguise }: BanditMemberSettings,
  { run, terms }: Hosted,
  role: Role,
): AnyProtocol {
  const made = machines.get(run) ?? new Map<Role, AnyProtocol>()
  machines.set(run, made)
  const settings: BanditSettings = { run, repeat, timeout: terms.patience, rules }
  const machine = made.get(role) ?? disguise?.(role, settings, keys) ?? makers[terms.level][role]!(settings, keys)
  made.set(role, machine)
  return machine
}

type Makers = Readonly<
  Partial<Record<Role, (settings: BanditSettings, keys: BanditMemberSettings['keys']) => AnyProtocol>>
>

/** In a ring nobody compares but the arms themselves. */
const RING: Makers = { arm: ringNode, shuffler: ringController, user: ringUser }

/** The machines of each level, by what a party does. */
export const makers: Readonly<Record<Level, Makers>> = {
  blind: { arm: banditArm, shuffler: banditShuffler, comparator: banditComparator, user: banditUser },
  'ucb-d': RING,
  'ucb-ds': RING,
  'ucb-ds2': RING,
  'sr-secured': { arm: searchDrawer, shuffler: searchJudge, comparator: searchComparator, user: searchOwner },
}

/** What this member plays in a run. The user is awake when all have agreed. */
export function rolesOf(self: NodeId, { level, shuffler, comparator, seats, user }: Terms): Role[] {
  const roles: Role[] = []
  if (self === shuffler) roles.push('shuffler')
  if (self === comparator && makers[level].comparator !== undefined) roles.push('comparator')
  if (seats.some(({ member }) => member === self)) roles.push('arm')
  if (self === user) roles.push('user')
  return roles
}

/** The arm that a member has in a run; who draws for a search has none, and needs nobody's consent. */
export const armOf = (self: NodeId, { seats, level }: Terms): string | undefined =>
  level === 'sr-secured' ? undefined : seats.find(({ member }) => member === self)?.arm

/** A machine as it is before it hears anything, or as it was saved. */
export function newPlaying(record: Uint8Array = NOTHING): Playing {
  return { state: undefined, record, awake: false }
}

/** Starts a machine of a run: from now on it hears and speaks. */
export function wake(scene: BanditMemberScene, hosted: Hosted, role: Role): void {
  const { state, settings } = scene
  const playing = hosted.roles.get(role)
  if (playing === undefined || playing.awake) return
  const record = settings.rules.startsFrom(playing.record)
  const saved = record.length === 0 ? NOTHING_SAVED : new Map([['', [record]]])
  playing.state = machineOf(settings, hosted, role).init(state.self, [], saved)
  playing.awake = true
  // It waits from now on, and may have been asked long after the run was saved: its own patience must end first.
  if (role === 'user') watchRun(scene, hosted)
  give(scene, hosted, role, { kind: 'start' })
  const { secret } = playing.state as { readonly secret?: Uint8Array }
  if (secret !== undefined) log(scene, hosted, { kind: 'secret', role, secret })
}

/** A run that may be forgotten after this long without its end. */
export function watchRun({ turn }: BanditMemberScene, { terms }: Hosted): void {
  memberTimers.set(turn, 'expire', terms.patience + GRACE_MS, terms.id)
}

export function give(scene: BanditMemberScene, hosted: Hosted, role: Role, input: Input<BanditMessage, unknown>): void {
  const playing = hosted.roles.get(role)
  if (!playing?.awake) return
  const machine = machineOf(scene.settings, hosted, role)
  const turn = ownTurn<BanditMessage, BanditEvent | PrimesEvent>(scene.turn, effect =>
    perform(scene, hosted, role, effect),
  )
  machine.step(playing.state, input, turn)
  machine.check?.(playing.state)
}

function perform(
  scene: BanditMemberScene,
  hosted: Hosted,
  role: Role,
  effect: Effect<BanditMessage, BanditEvent | PrimesEvent>,
): void {
  const { state, turn } = scene
  const { id } = hosted.terms
  switch (effect.kind) {
    case 'send':
      if (effect.to === state.self) scene.own.push({ hosted, body: effect.body })
      else turn.do({ kind: 'send', to: effect.to, body: { kind: 'said', id, ...signedFor(scene, hosted, effect) } })
      return
    case 'timer':
      return memberTimers.set(turn, 'machine', effect.after, `${id} ${role} ${effect.name}`)
    case 'cancel':
      return memberTimers.cancel(turn, 'machine', `${id} ${role} ${effect.name}`)
    case 'save':
    case 'snapshot':
      hosted.roles.get(role)!.record = effect.record
      return saveRecord(scene, { kind: 'role', id, role, record: effect.record })
    case 'emit':
      return told(scene, hosted, role, effect.event)
    case 'forget':
      return
  }
}

/** Where a run is to be audited, nobody can deny afterwards what it said. */
function signedFor(
  { state, settings }: BanditMemberScene,
  { terms }: Hosted,
  { to, body }: { readonly to: NodeId; readonly body: BanditMessage },
): { readonly body: BanditMessage; readonly signature: Uint8Array } {
  if (!terms.audit) return { body, signature: NOTHING }
  const about = saidAbout(terms.id, state.self, to, briefOf(settings.keys.tools, body))
  return { body, signature: settings.keys.signer.sign(about) }
}

function told(scene: BanditMemberScene, hosted: Hosted, role: Role, event: BanditEvent | PrimesEvent): void {
  const { state } = scene
  const { id, name } = hosted.terms
  const emit = (said: BanditMemberEvent) => scene.turn.do({ kind: 'emit', event: said })
  const arm = armOf(state.self, hosted.terms) ?? ''
  switch (event.kind) {
    case 'pull':
      return emit({ kind: 'pull', id, name, arm, number: event.number, rewards: hosted.run.rewards })
    case 'progress':
      return emit({ kind: 'progress', name, round: event.round, spent: event.spent })
    case 'answered':
      scene.over.push({ hosted, event: { ...event, name, heads: [] } })
      return
    case 'stopped':
      if (role === 'user') scene.over.push({ hosted, event: { kind: 'stopped', name, why: event.why } })
      if (role !== 'arm') return
      emit({ kind: 'released', id, name, arm, why: event.why })
      // A machine tells the user by a message, and not itself.
      if (hosted.roles.has('user')) scene.own.push({ hosted, body: { kind: 'stop', why: event.why } })
      return
    case 'primes':
      return emit({ kind: 'primes', id, name })
    case 'round':
      return
  }
}

/** To every machine of the run that the word is for. */
export function hear(scene: BanditMemberScene, hosted: Hosted, from: NodeId, body: BanditMessage): void {
  for (const role of HEARD[body.kind]) give(scene, hosted, role, { kind: 'message', from, body })
}

/** The user has its answer, or knows that there is none. */
export function endWith(scene: BanditMemberScene, hosted: Hosted, event: BanditMemberEvent | undefined): void {
  const { turn } = scene
  const { terms, log: kept } = hosted
  if (event?.kind !== 'answered') {
    // Told before the run is forgotten: after a crash in between it is told again. One that forgot first would ask for another run.
    if (event !== undefined) turn.do({ kind: 'emit', event })
    return endForAll(scene, hosted)
  }
  if (kept.answer !== undefined) return
  kept.answer = event
  // Who hears that it is over forgets the run: after a crash nobody could tell the answer again.
  saveRecord(scene, { kind: 'answer', id: terms.id, answer: savedAnswer(event) })
  tellAnswer(scene, hosted)
}

/** Tells the answer, also after a restart. Where the run is to be audited, the others' last words on their logs are waited for. */
export function tellAnswer(scene: BanditMemberScene, hosted: Hosted): void {
  if (hosted.terms.audit) return askForHeads(scene, hosted)
  scene.turn.do({ kind: 'emit', event: hosted.log.answer! })
  endForAll(scene, hosted)
}

/** The others' last words on their logs, for a run that has its answer. */
function askForHeads(scene: BanditMemberScene, hosted: Hosted): void {
  hosted.log.patience = HEADS_TRIES
  sayOver(scene, hosted)
  memberTimers.set(scene.turn, 'heads', scene.settings.repeat, hosted.terms.id)
  answerIfWhole(scene, hosted)
}

/** How often the user asks for last words before it answers without them. */
const HEADS_TRIES = 8

export function onHeads(scene: BanditMemberScene, id: string): void {
  const hosted = scene.state.runs.get(id)
  if (hosted?.log.answer === undefined) return
  if (hosted.log.patience-- > 0) {
    sayOver(scene, hosted)
    memberTimers.set(scene.turn, 'heads', scene.settings.repeat, id)
  } else answerWith(scene, hosted)
}

export function onHead(scene: BanditMemberScene, from: NodeId, { id, head }: MemberMessage & { kind: 'head' }): void {
  const hosted = scene.state.runs.get(id)
  if (hosted?.log.answer === undefined || !partiesOf(hosted.terms).includes(from)) return
  hosted.log.heads.set(from, head)
  answerIfWhole(scene, hosted)
}

function answerIfWhole(scene: BanditMemberScene, hosted: Hosted): void {
  const others = partiesOf(hosted.terms).filter(id => id !== scene.state.self)
  if (others.every(id => hosted.log.heads.has(id))) answerWith(scene, hosted)
}

function answerWith(scene: BanditMemberScene, hosted: Hosted): void {
  const { state, turn } = scene
  const { answer, heads: found } = hosted.log
  const heads = [...found].map(([member, head]) => ({ member, head }))
  const own = closeLog(scene, hosted)
  closeFile(scene, hosted, own, heads)
  // Told before the run is forgotten: after a crash in between it is told again, and not lost.
  turn.do({ kind: 'emit', event: { ...answer!, heads: [...heads, { member: state.self, head: own }] } })
  endHere(scene, hosted, 'the run is over')
}

/** The last line of the file: it is not part of the chain. */
export function closeFile(
  { turn }: BanditMemberScene,
  { terms, log: { count } }: Hosted,
  head: Head,
  heads: readonly { member: NodeId; head: Head }[] = [],
): void {
  const entry: LogEntry = { kind: 'closed', head, heads }
  const named = { id: terms.id, name: terms.name, user: terms.user }
  turn.do({ kind: 'emit', event: { kind: 'log', ...named, number: count + 1, entry } })
}

function sayOver({ state, turn }: BanditMemberScene, { terms, log: { heads } }: Hosted): void {
  for (const to of partiesOf(terms)) {
    if (to !== state.self && !heads.has(to)) turn.do({ kind: 'send', to, body: { kind: 'over', id: terms.id } })
  }
}

/** The user has what it wants, or wants no more: the parties may forget the run. */
export function endForAll(scene: BanditMemberScene, hosted: Hosted): void {
  const { state, turn } = scene
  const { terms } = hosted
  if (terms.audit) closeFile(scene, hosted, closeLog(scene, hosted))
  for (const to of partiesOf(terms))
    if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'over', id: terms.id } })
  endHere(scene, hosted, 'the run is over')
}

/** Forgets a run, its keys and its secrets. A run in which an arm was not pulled does not count for it. */
export function endHere(scene: BanditMemberScene, hosted: Hosted, why: string): void {
  const { state, turn } = scene
  const { id, name } = hosted.terms
  if (state.runs.get(id) !== hosted) return
  const arm = armOf(state.self, hosted.terms)
  const playing = hosted.roles.get('arm')
  if (arm !== undefined && playing !== undefined) {
    if (playing.awake && (playing.state as ArmState).target === 0) countServed(scene, name, arm, -1)
    turn.do({ kind: 'emit', event: { kind: 'released', id, name, arm, why } })
  }
  for (const [role, { awake }] of hosted.roles) {
    if (!awake) continue
    for (const timer of ['repeat', 'timeout', 'work', 'pace', 'lost'])
      memberTimers.cancel(turn, 'machine', `${id} ${role} ${timer}`)
  }
  memberTimers.cancel(turn, 'expire', id)
  memberTimers.cancel(turn, 'heads', id)
  state.runs.delete(id)
  noteEnded(state.ended, id)
  saveRecord(scene, { kind: 'ended', id })
}

export function countServed(scene: BanditMemberScene, name: string, arm: string, more: 1 | -1): void {
  const key = armKey(name, arm)
  const count = Math.max(0, (scene.state.served.get(key) ?? 0) + more)
  scene.state.served.set(key, count)
  saveRecord(scene, { kind: 'served', name, arm, count })
}

/** The run that an arm of this member is in. */
export function runOfArm({ runs, self }: BanditMemberState, name: string, arm: string): Hosted | undefined {
  for (const hosted of runs.values()) {
    if (hosted.terms.name === name && armOf(self, hosted.terms) === arm) return hosted
  }
  return undefined
}
