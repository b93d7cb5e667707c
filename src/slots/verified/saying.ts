// How a member speaks: every word is signed, bound to the epoch, kept where it may be asked for, and sent to its peers.

import type { NodeId } from '../../core/index.ts'
import { positionOf, votersOf } from './record.ts'
import type { Epoch, Round, SlotsScene } from './state.ts'
import { placeOf, type SlotsMessage, type Step, signedBytes } from './wire.ts'

type Spoken<Message> = Message extends SlotsMessage ? Omit<Message, 'author' | 'epoch' | 'signature'> : never

const UNSIGNED = new Uint8Array()

/** A statement of ours in the present epoch. */
export function statementOf<Kind extends SlotsMessage>(scene: SlotsScene, words: Spoken<Kind>): Kind {
  const { state } = scene
  const unsigned = { ...words, author: state.self, epoch: state.epoch.hash, signature: UNSIGNED } as unknown as Kind
  return { ...unsigned, signature: scene.signer.sign(signedBytes(unsigned)) }
}

/** Words to one member that wait for the beat: a few rounds' worth. What one member asks for must not crowd out the others. */
export const OUTBOX_MAX = 2_000

export function send(scene: SlotsScene, to: NodeId, body: SlotsMessage): void {
  const { state, turn } = scene
  if (to === state.self) return
  if (!scene.settings.paced) return turn.do({ kind: 'send', to, body })
  const waiting = state.outboxTo.get(to) ?? 0
  if (waiting >= OUTBOX_MAX) return
  state.outboxTo.set(to, waiting + 1)
  state.outbox.push({ to, body })
}

/** Words that one member is sent between two beats because it asked: a few bytes ask for a pass of hundreds of kilobytes. */
export const ANSWERS_MAX = 256

/** Sends what somebody asked for, as far as it may ask. */
export function answer(scene: SlotsScene, to: NodeId, body: SlotsMessage): void {
  const { answered } = scene.state
  const count = answered.get(to) ?? 0
  if (count >= ANSWERS_MAX) return
  answered.set(to, count + 1)
  send(scene, to, body)
}

export function flush(scene: SlotsScene): void {
  const { state, turn } = scene
  state.outboxTo.clear()
  for (const { to, body } of state.outbox.splice(0)) turn.do({ kind: 'send', to, body })
}

export function sendToAll(scene: SlotsScene, body: SlotsMessage): void {
  const { state } = scene
  for (const { name } of state.epoch.record.members) send(scene, name, body)
}

/** What concerns the next epoch, or a cheat: also to those that are absent. */
export function sendToVoters(scene: SlotsScene, body: SlotsMessage): void {
  const { state } = scene
  for (const { name } of votersOf(state.epoch.record)) send(scene, name, body)
}

/** Says a step once: kept under its place, and sent to all members or to one. */
export function sayStep<Kind extends Step>(
  scene: SlotsScene,
  round: Round | undefined,
  words: Spoken<Kind>,
  to?: NodeId,
): Kind {
  const { state } = scene
  const said = statementOf<Kind>(scene, words)
  shelf(state.epoch, round).set(nameOf(state.epoch, said), said)
  if (to === undefined) sendToAll(scene, said)
  else send(scene, to, said)
  return said
}

function shelf(epoch: Epoch, round: Round | undefined): Map<string, Step> {
  return round === undefined ? epoch.said : round.said
}

export function stepName(kind: string, author: number, index: number): string {
  return `${kind}:${author}:${index}`
}

export function nameOf(epoch: Epoch, step: Step): string {
  return stepName(step.kind, positionOf(epoch.record, step.author), placeOf(step))
}

/** What a member said in its place, if it is known. */
export function saidBy<Kind extends Step['kind']>(
  holder: Epoch | Round,
  kind: Kind,
  author: number,
  index = 0,
): Extract<Step, { kind: Kind }> | undefined {
  return holder.said.get(stepName(kind, author, index)) as Extract<Step, { kind: Kind }> | undefined
}

/** What all members said in their places, or nothing while one is missing. */
export function saidByAll<Kind extends Step['kind']>(
  epoch: Epoch,
  holder: Epoch | Round,
  kind: Kind,
  index = 0,
): Extract<Step, { kind: Kind }>[] | undefined {
  const all = epoch.record.members.map((_member, author) => saidBy(holder, kind, author, index))
  return all.every(one => one !== undefined) ? all : undefined
}
