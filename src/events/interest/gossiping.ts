// Once in a round a member exchanges claims with one other: most often with a link, else with anybody. Each gives the other those it
// knows that want something of the same, the nearest on the ring first, and a few at random. Who does not answer is left alone until
// it has spoken again.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import { type Box, fewer, number48, overlap } from './boxes.ts'
import { AGE_SAID_MAX, GIVEN_MAX, PEERS_MAX, RANDOM_GIVEN, RANDOM_MAX } from './limits.ts'
import { chooseLinks, someOf, stepsBetween } from './ring.ts'
import type { InterestSettings } from './settings.ts'
import type { InterestScene, Known } from './state.ts'
import { type Claim, claimWords, type Given, type InterestMessage } from './wire.ts'

/** Of ten exchanges so many are with a link. */
const WITH_LINKS = 7
const OF = 10

/** The hash of a member's name: nobody chooses it. */
export function hashedPlace({ hash, group }: Pick<InterestSettings, 'hash' | 'group'>, member: NodeId): number {
  return number48(hash(framed('coterie/events/place', group, member)))
}

/** Where a member stands. */
function placeFor({ state, settings }: InterestScene, member: NodeId, chosen: number): number {
  const hashed = state.hashed.get(member) ?? hashedPlace(settings, member)
  if (state.hashed.size >= PEERS_MAX) state.hashed.clear()
  state.hashed.set(member, hashed)
  return settings.rules.placeOf(hashed, chosen)
}

/** What this member wants, as all its subscriptions say. */
export function ownBoxes({ state }: InterestScene): readonly Box[] {
  return fewer([...state.wishes.values()].flatMap(({ boxes }) => boxes))
}

/** Says anew what it wants. */
export function renew(scene: InterestScene): Claim {
  const { state, settings, turn } = scene
  const number = Math.max(Math.floor(settings.since + turn.now), (state.claim?.number ?? 0) + 1)
  const words = { member: state.self, number, boxes: ownBoxes(scene) }
  state.claim = { ...words, signature: settings.signer.sign(claimWords(settings.group, words)) }
  state.place = placeFor(scene, state.self, number)
  return state.claim
}

/** One round: who is too old goes, who did not answer is left alone, and one is asked. */
export function goRound(scene: InterestScene): void {
  const { state } = scene
  for (const id of [...state.asked]) giveUp(scene, id)
  for (const list of [state.links, state.random]) {
    for (const [id, one] of list) if (!isFresh(scene, ageOf(scene, one))) list.delete(id)
  }
  const own = renew(scene)
  // One at random besides: links alone would tell each other what they know already.
  for (const to of new Set([partner(scene), stranger(scene)])) {
    if (to === undefined) continue
    state.asked.add(to)
    const other = state.links.get(to) ?? state.random.get(to)
    sayExchange(scene, to, other, { own, asks: true })
  }
}

function isFresh({ settings }: InterestScene, age: number): boolean {
  return settings.rules.isFresh(age, settings.ageMax)
}

function ageOf({ settings, turn }: InterestScene, { age, heard }: Known): number {
  return age + Math.floor((turn.now - heard) / settings.round)
}

function partner(scene: InterestScene): NodeId | undefined {
  const { state, turn } = scene
  const links = [...state.links.keys()]
  return links.length > 0 && turn.below(OF) < WITH_LINKS ? links[turn.below(links.length)] : stranger(scene)
}

/** Somebody at random, of those that membership or an exchange told of. */
function stranger({ state, turn }: InterestScene): NodeId | undefined {
  const anybody = [...new Set([...state.random.keys(), ...state.peers])].filter(id => !state.barred.has(id))
  return anybody.length === 0 ? undefined : anybody[turn.below(anybody.length)]
}

/** A member that did not answer: forgotten, and not taken up again until it has said something newer. */
export function giveUp({ state }: InterestScene, member: NodeId): void {
  const known = state.links.get(member) ?? state.random.get(member)
  state.links.delete(member)
  state.random.delete(member)
  state.asked.delete(member)
  if (known === undefined) return
  state.barred.set(member, known.claim.number)
  if (state.barred.size > PEERS_MAX) state.barred.delete(state.barred.keys().next().value!)
}

/** Those that want something of what the other one wants, the nearest to it first; and some at random. */
function sayExchange(
  scene: InterestScene,
  to: NodeId,
  other: Known | undefined,
  { own, asks }: { readonly own: Claim; readonly asks: boolean },
): void {
  const { state, turn } = scene
  const known = [...state.links.values(), ...state.random.values()].filter(({ claim }) => claim.member !== to)
  const alike = other === undefined ? [] : known.filter(({ claim }) => overlap(other.claim.boxes, claim.boxes))
  const near = (one: Known) => Math.min(stepsBetween(other!.place, one.place), stepsBetween(one.place, other!.place))
  const nearest = alike.sort((one, two) => near(one) - near(two)).slice(0, GIVEN_MAX)
  const taken = new Set(nearest)
  const rest = known.filter(one => !taken.has(one))
  const given = [
    ...nearest,
    ...someOf(rest, GIVEN_MAX + RANDOM_GIVEN - nearest.length, bound => turn.below(bound)),
  ].map(one => givenOf(scene, one))
  turn.do({ kind: 'send', to, body: { kind: 'exchange', own, given, asks } })
}

function givenOf(scene: InterestScene, one: Known): Given {
  return { claim: one.claim, age: Math.min(AGE_SAID_MAX, ageOf(scene, one)) }
}

/** Another member's claim, and those it knows. */
export function hearExchange(scene: InterestScene, from: NodeId, body: InterestMessage & { kind: 'exchange' }): void {
  const { state } = scene
  if (body.own.member !== from) return
  const fresh = new Map<NodeId, Known>()
  learn(scene, fresh, body.own, 0)
  for (const { claim, age } of body.given) learn(scene, fresh, claim, age)
  state.asked.delete(from)
  // Who asks has just said what it wants: it need not have become a link, nor be one of the few that are kept at random.
  const other = fresh.get(from) ?? state.links.get(from) ?? state.random.get(from)
  choose(scene, fresh)
  if (body.asks) sayExchange(scene, from, other, { own: state.claim ?? renew(scene), asks: false })
}

function learn(scene: InterestScene, fresh: Map<NodeId, Known>, claim: Claim, age: number): void {
  const { state, settings, turn } = scene
  const { member, number } = claim
  if (member === state.self || !isFresh(scene, age)) return
  if (settings.rules.isBarred(number, state.barred.get(member))) return
  const before = fresh.get(member) ?? state.links.get(member) ?? state.random.get(member)
  if (before !== undefined && before.claim.number >= number) return
  if (!isOwners(scene, claim, before)) return
  state.barred.delete(member)
  fresh.set(member, { claim, place: placeFor(scene, member, number), age, heard: turn.now })
}

function isOwners({ state, settings }: InterestScene, claim: Claim, before: Known | undefined): boolean {
  if (before !== undefined && sameBytes(before.claim.signature, claim.signature)) return false
  const key = state.keys.get(claim.member) ?? settings.keyFor?.(claim.member)
  return key !== undefined && settings.signatures.verify(key, claimWords(settings.group, claim), claim.signature)
}

/** Of all that are known now, who is a link, and who is kept at random. */
export function choose(scene: InterestScene, fresh: ReadonlyMap<NodeId, Known>): void {
  const { state, turn } = scene
  const below = (bound: number) => turn.below(bound)
  const known = new Map([...state.random, ...state.links, ...fresh])
  const links = chooseLinks(ownBoxes(scene), state.place, [...known.values()], below)
  const rest = someOf(
    [...known.values()].filter(({ claim }) => !links.has(claim.member)),
    RANDOM_MAX,
    below,
  )
  state.links.clear()
  state.random.clear()
  for (const [id, one] of links) state.links.set(id, one)
  for (const one of rest) state.random.set(one.claim.member, one)
}
