// Questions to all servers: what there is, the newest kept events, and whether everything was handled that was accepted.
//
// n - f answers are enough; the others have three beats more. Everything accepted is at or below the (b + 1)-th largest of
// what those that are up say: above that nothing is waited for.
//
// What is kept comes page by page (reminding.ts), from each server as fast as it goes on; who has shown the last page has answered.

import { kthLargest, type NodeId } from '../../core/index.ts'
import { encodeFilter } from '../filter.ts'
import { certificateOf } from '../rules.ts'
import { type EventsMessage, isName, sourceKey } from '../wire.ts'
import { askOn, forgetKept, newCollection, newestOf, takePage } from './reminding.ts'
import { keep, release } from './shares.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type ClientScene,
  type Inquiry,
  PATIENCE_BEATS,
  type Recalled,
  say,
  tell,
} from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }
type Command<Kind extends ClientCommand['kind']> = ClientCommand & { kind: Kind }

/** Questions under way at once. */
const INQUIRIES_MAX = 1_000
/** What a head, a position or half a complaint in an answer takes: three names and their places. */
const LINE_BYTES = 400

export function onSurvey(scene: ClientScene, { id, channel }: Command<'survey'>): void {
  begin(scene, { kind: 'survey', id, channel }, false)
}

export function onRemind(scene: ClientScene, { id, channel, filter }: Command<'remind'>): void {
  const ask = { kind: 'remind', id, channel, filter: encodeFilter(filter), after: undefined } as const
  begin(scene, ask, false, { collection: newCollection(scene.state, filter) })
}

export function onRecall(scene: ClientScene, { id }: Command<'recall'>): void {
  begin(scene, { kind: 'recall', id }, false)
}

export function onDrain(scene: ClientScene, { id, channel }: Command<'drain'>): void {
  begin(scene, { kind: 'survey', id, channel }, true)
}

function channelOf(ask: Inquiry['ask']): string {
  return ask.kind === 'recall' ? '' : ask.channel
}

function begin(scene: ClientScene, ask: Inquiry['ask'], drains: boolean, more: Partial<Inquiry> = {}): void {
  const { state } = scene
  const { id } = ask
  const channel = channelOf(ask)
  if (channel !== '' && !isName(channel)) return tell(scene, { kind: 'refused', id, why: 'the channel has no name.' })
  if (state.inquiries.size >= INQUIRIES_MAX)
    return tell(scene, { kind: 'refused', id, why: `${INQUIRIES_MAX} questions are under way.` })
  const none = { collection: undefined, answers: new Map(), beats: 0, targets: undefined, lagOf: '' }
  const inquiry: Inquiry = { id, ask, drains, ...none, ...more }
  state.inquiries.set(id, inquiry)
  sayAgain(scene, inquiry)
}

export function onCancel(scene: ClientScene, { id }: Command<'cancel'>): void {
  const inquiry = scene.state.inquiries.get(id)
  if (inquiry !== undefined) close(scene, inquiry)
}

/** It is answered, or nobody waits. */
function close(scene: ClientScene, inquiry: Inquiry): void {
  const { state } = scene
  for (const [server, body] of inquiry.answers) release(state, server, answerBytes(body))
  inquiry.answers.clear()
  if (inquiry.collection !== undefined) forgetKept(scene, inquiry.collection)
  state.inquiries.delete(inquiry.id)
}

/** What an answer takes while the others are waited for. */
function answerBytes(body: Message<'surveyed' | 'reminded' | 'recalled'>): number {
  switch (body.kind) {
    case 'surveyed':
      return body.cursors.reduce(
        (sum, { entries }) => sum + LINE_BYTES + LINE_BYTES * entries.length,
        LINE_BYTES * (1 + body.entries.length),
      )
    case 'reminded':
      // Its events are counted one by one, where they are the newest.
      return LINE_BYTES
    case 'recalled':
      return LINE_BYTES * (1 + 2 * body.complaints.length)
  }
}

function sayAgain(scene: ClientScene, { ask, answers, collection }: Inquiry): void {
  for (const server of scene.state.servers) {
    if (answers.has(server)) continue
    if (collection !== undefined && ask.kind === 'remind') askOn(scene, server, ask, collection)
    else say(scene, server, ask)
  }
}

export function onSurveyed(scene: ClientScene, from: NodeId, body: Message<'surveyed'>): void {
  answered(scene, from, body)
}

export function onRecalled(scene: ClientScene, from: NodeId, body: Message<'recalled'>): void {
  answered(scene, from, body)
}

export function onReminded(scene: ClientScene, from: NodeId, body: Message<'reminded'>): void {
  const inquiry = scene.state.inquiries.get(body.id)
  if (inquiry?.collection === undefined || inquiry.ask.kind !== 'remind' || inquiry.answers.has(from)) return
  if (takePage(scene, from, body, inquiry.collection)) answered(scene, from, { ...body, events: [] })
  else askOn(scene, from, inquiry.ask, inquiry.collection)
}

const ANSWERS = { survey: 'surveyed', remind: 'reminded', recall: 'recalled' } as const

function answered(scene: ClientScene, from: NodeId, body: Message<'surveyed' | 'reminded' | 'recalled'>): void {
  const { state } = scene
  const inquiry = state.inquiries.get(body.id)
  if (inquiry === undefined || body.kind !== ANSWERS[inquiry.ask.kind] || !state.servers.includes(from)) return
  if (inquiry.targets !== undefined) return
  // The first answer counts; one that is too large for what this server may say is none.
  if (inquiry.answers.has(from) || !keep(scene, from, answerBytes(body))) return
  inquiry.answers.set(from, body)
  if (inquiry.answers.size === state.servers.length) conclude(scene, inquiry)
}

export function beatInquiries(scene: ClientScene): void {
  const { state, settings } = scene
  for (const inquiry of state.inquiries.values()) {
    if (inquiry.targets !== undefined) {
      drained(scene, inquiry)
      continue
    }
    sayAgain(scene, inquiry)
    if (inquiry.answers.size < state.servers.length - settings.crashes) continue
    if (++inquiry.beats >= PATIENCE_BEATS) conclude(scene, inquiry)
  }
}

function conclude(scene: ClientScene, inquiry: Inquiry): void {
  if (inquiry.drains) {
    inquiry.targets = targetsOf(scene, inquiry)
    return drained(scene, inquiry)
  }
  tell(scene, conclusionOf(scene, inquiry))
  close(scene, inquiry)
}

function conclusionOf(scene: ClientScene, inquiry: Inquiry): ClientEvent {
  const { id } = inquiry
  if (inquiry.ask.kind === 'remind') return { kind: 'reminded', id, events: newestOf(inquiry.collection) }
  if (inquiry.ask.kind === 'recall') return { kind: 'recalled', id, servers: recalledBy(inquiry) }
  if (inquiry.lagOf !== '') return { kind: 'lag', id, behind: queueBehind(scene, inquiry) }
  const servers = [...inquiry.answers].flatMap(([server, { kind, ...said }]) =>
    kind === 'surveyed' ? [{ server, ...(said as Omit<Message<'surveyed'>, 'kind'>) }] : [],
  )
  return {
    kind: 'surveyed',
    id,
    servers: servers.map(({ server, entries, cursors }) => ({ server, entries, cursors })),
  }
}

function recalledBy({ answers }: Inquiry): Recalled[] {
  return [...answers].flatMap(([server, body]) =>
    body.kind === 'recalled' ? [{ server, complaints: body.complaints }] : [],
  )
}

/** Of each source what more servers say than may lie: how much is held, what was cut, and how far the queue is. */
function queueBehind({ state, settings }: ClientScene, { answers, lagOf }: Inquiry): number {
  const owner = certificateOf(state.self)
  const said = new Map<string, { held: number[]; base: number[]; done: number[] }>()
  const of = (key: string) => {
    const one = said.get(key) ?? { held: [], base: [], done: [] }
    said.set(key, one)
    return one
  }
  for (const body of answers.values()) {
    if (body.kind !== 'surveyed') continue
    for (const head of body.entries) {
      of(sourceKey(head)).held.push(head.counter)
      of(sourceKey(head)).base.push(head.base)
    }
    const own = body.cursors.find(({ queue, name, owner: whose }) => queue && name === lagOf && whose === owner)
    for (const { counter, ...life } of own?.entries ?? [])
      of(sourceKey({ channel: own!.channel, ...life })).done.push(counter)
  }
  const sure = (numbers: readonly number[]) => Math.max(0, kthLargest(numbers, settings.liars + 1))
  return [...said.values()].reduce(
    (sum, { held, base, done }) => sum + Math.max(0, sure(held) - Math.max(sure(base), sure(done))),
    0,
  )
}

/** Up to where each source is to be handled. */
function targetsOf({ settings }: ClientScene, { answers }: Inquiry): ReadonlyMap<string, number> {
  const said = new Map<string, number[]>()
  for (const body of answers.values()) {
    if (body.kind !== 'surveyed') continue
    for (const head of body.entries) {
      const key = sourceKey(head)
      said.set(key, [...(said.get(key) ?? []), head.counter])
    }
  }
  return new Map([...said].map(([key, counters]) => [key, kthLargest(counters, settings.liars + 1)]))
}

function drained(scene: ClientScene, inquiry: Inquiry): void {
  const { state } = scene
  for (const { channel, tracked, phase } of state.subscriptions.values()) {
    if (channel !== channelOf(inquiry.ask)) continue
    if (phase !== 'open') return
    for (const [key, target] of inquiry.targets!) {
      const one = tracked.get(key)
      if (target > 0 && (one?.done ?? 0) < target && !one?.closedAt) return
    }
  }
  close(scene, inquiry)
  tell(scene, { kind: 'drained', id: inquiry.id })
}

export function onLag(scene: ClientScene, { id, of }: Command<'lag'>): void {
  const queue = scene.state.queues.get(of)
  if (queue !== undefined)
    return begin(scene, { kind: 'survey', id, channel: queue.channel }, false, { lagOf: queue.name })
  const subscription = scene.state.subscriptions.get(of)
  let behind = 0
  for (const [key, { done }] of subscription?.tracked ?? []) {
    const heads = subscription!.members.map(({ heads: known }) => known.get(key)?.counter ?? 0)
    behind += Math.max(0, kthLargest(heads, heads.length) - done)
  }
  tell(scene, { kind: 'lag', id, behind })
}
