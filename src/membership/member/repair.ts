// Push and pull of whole views: what gossip missed, and how a member enters.
//
// Gossip reaches everybody with high probability, not with certainty, and never across a partition. So now and then a
// member compares its view with another's: first one hash; where they differ, page by page in the order of names, each
// side sends what it knows newer and asks for what the other does. It also asks one of those it believes gone, or a
// contact that it has not met: after a partition, that is how the two sides find each other.

import { sha256 } from '@noble/hashes/sha2.js'
import { encode, type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import { type Claim, claimBytes } from '../claims.ts'
import { CLAIMS_MAX, type Entry, entryCodec, HASH_BYTES, PAGE_MAX, type Presence } from '../wire.ts'
import { hearClaims } from './hearing.ts'
import { spendOn } from './peers.ts'
import { isHere, type Member, type MemberScene, type Message, memberTimers } from './state.ts'
import { someOthers } from './views.ts'

/** Bytes of claims in one message of a repair: well below a frame. */
const CLAIMS_BYTES_MAX = 16_384
/** Accusations and measures sent along with one member: as many as settle the matter. */
const SIDE_CLAIMS_MAX = 8
/** How many of those believed gone are asked each time: a side of a partition has many members to ask for. */
const SOUGHT = 3
/** Contacts asked at once for entry. */
const CONTACTS_MAX = 3
/**
 * Claims given for the price of a message. A newcomer to a group of 4,000, which is told four of each member, has them with half of
 * its burst; one that asks without end is given 8,192 a second, about 5 MB.
 */
export const CLAIMS_A_TOKEN = 32
/** In groups beyond this, views are compared less often: each comparison is that much longer. */
const SLOWER_BEYOND = 64

function presenceOf(member: Member): Presence {
  return member.status === 'left' ? 'left' : member.status === 'failed' ? 'failed' : 'here'
}

function entryOf(member: Member): Entry {
  return {
    member: member.id,
    incarnation: Math.max(member.alive.incarnation, member.leave?.incarnation ?? 0),
    version: member.attributes?.version ?? 0,
    tag: Number.parseInt(member.digest.slice(0, 8), 16),
    presence: presenceOf(member),
  }
}

function sortedNames({ state }: Pick<MemberScene, 'state'>): readonly NodeId[] {
  state.names ??= [...state.members.keys()].sort()
  return state.names
}

/** The place of the first name after this one, by halving. */
function placeAfter(names: readonly NodeId[], after: string): number {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (names[middle]! > after) high = middle
    else low = middle + 1
  }
  return low
}

/** The names after the one, up to the other; empty: up to the last. */
function namesBetween(scene: MemberScene, after: string, upTo: string): readonly NodeId[] {
  const names = sortedNames(scene)
  return names.slice(placeAfter(names, after), upTo === '' ? names.length : placeAfter(names, upTo))
}

function pageAfter(scene: MemberScene, after: string): Message<'page'> {
  const names = sortedNames(scene)
  const first = placeAfter(names, after)
  const shown = names.slice(first, first + PAGE_MAX)
  const entries = shown.map(name => entryOf(scene.state.members.get(name)!))
  return { kind: 'page', after, upTo: first + PAGE_MAX < names.length ? shown.at(-1)! : '', entries }
}

/**
 * A hash over all that are here. Those that are gone are left out: a newcomer never hears of them, and would differ from the
 * others for ever; and who is here for one and gone for the other makes a difference anyway.
 */
export function viewHash(scene: Pick<MemberScene, 'state'>): Uint8Array {
  const hash = sha256.create()
  for (const name of sortedNames(scene)) {
    const member = scene.state.members.get(name)!
    if (isHere(member)) hash.update(encode(entryCodec, entryOf(member)))
  }
  return hash.digest().slice(0, HASH_BYTES)
}

/** How long a member that is gone is remembered: a day, in which a claim of its life is not taken for news. */
const FORGET_AFTER: Millis = 24 * 60 * 60 * 1_000

function forgetOld({ state, turn }: MemberScene): void {
  for (const member of state.members.values()) {
    if (isHere(member) || member.id === state.self || turn.now - member.since < FORGET_AFTER) continue
    state.members.delete(member.id)
    state.names = undefined
  }
}

/** Asks one random member, and some of those that are gone or were never met. */
export function onRepair(scene: MemberScene): void {
  const { state, settings, turn } = scene
  if (state.leaving) return
  forgetOld(scene)
  const partners = someOthers(scene, 1)
  if (settings.rules.seeksTheGone()) partners.push(...someGone(scene, SOUGHT))
  compare(scene, partners)
  const { repairEvery } = settings.beat
  const slower = Math.max(1, Math.log2((state.members.size + 1) / SLOWER_BEYOND) + 1)
  // A little chance in it keeps a group that started together from comparing all at once.
  memberTimers.set(turn, 'repair', slower * (repairEvery / 2 + turn.below(Math.ceil(repairEvery))))
}

/** Until it knows somebody, a member asks its contacts again and again. */
export function onJoin(scene: MemberScene): void {
  const { state, settings, turn } = scene
  if (state.others.length > 0 || state.leaving) return
  compare(scene, someGone(scene, CONTACTS_MAX))
  memberTimers.set(turn, 'join', settings.beat.joinEvery)
}

function compare(scene: MemberScene, partners: readonly NodeId[]): void {
  if (partners.length === 0) return
  const own = scene.state.members.get(scene.state.self)!
  const hash = viewHash(scene)
  const claims = own.attributes === undefined ? [own.alive] : [own.alive, own.attributes]
  for (const to of partners) scene.turn.do({ kind: 'send', to, body: { kind: 'summary', hash, claims } })
}

function someGone({ state, turn }: MemberScene, count: number): NodeId[] {
  const pool = state.contacts.filter(contact => !state.members.has(contact))
  for (const member of state.members.values()) {
    // A member that left comes back by itself; but a contact that left may be the only way in again.
    const sought = member.status === 'failed' || (member.status === 'left' && state.contacts.includes(member.id))
    if (sought && member.id !== state.self) pool.push(member.id)
  }
  const chosen: NodeId[] = []
  while (chosen.length < count && pool.length > 0) chosen.push(...pool.splice(turn.below(pool.length), 1))
  return chosen
}

export function onSummary(scene: MemberScene, from: NodeId, message: Message<'summary'>): void {
  hearClaims(scene, from, message.claims)
  // The hash is over all: a peer that asks for it often in a large group pays for it.
  if (!spendOn(scene, from, scene.state.members.size / PAGE_MAX)) return
  const own = viewHash(scene)
  if (sameBytes(own, message.hash)) return
  scene.turn.do({ kind: 'send', to: from, body: pageAfter(scene, '') })
}

export function onMore(scene: MemberScene, from: NodeId, message: Message<'more'>): void {
  scene.turn.do({ kind: 'send', to: from, body: pageAfter(scene, message.after) })
}

/** Compares one page with the own view: gives what is newer here, asks for what is newer there. */
export function onPage(scene: MemberScene, from: NodeId, { after, upTo, entries }: Message<'page'>): void {
  const { state, turn } = scene
  const between = namesBetween(scene, after, upTo)
  // Four bytes can have us look at everybody, and give all that we know of them.
  if (!spendOn(scene, from, between.length / PAGE_MAX)) return
  const theirs = new Map(entries.map(entry => [entry.member, entry]))
  const wanted: NodeId[] = []
  const given: Claim[] = []
  for (const entry of theirs.values()) {
    const member = state.members.get(entry.member)
    if (isNewer(entry, member)) wanted.push(entry.member)
    if (member !== undefined && isNewer(entryOf(member), entry)) given.push(...claimsOf(member))
  }
  for (const name of between) {
    if (theirs.has(name)) continue
    const member = state.members.get(name)!
    if (isHere(member)) given.push(...claimsOf(member))
  }
  give(scene, from, given)
  if (wanted.length > 0) turn.do({ kind: 'send', to: from, body: { kind: 'want', members: wanted } })
  // A page that does not lead on would be asked for again and again.
  if (upTo > after) turn.do({ kind: 'send', to: from, body: { kind: 'more', after: upTo } })
}

/** Whether what an entry says goes beyond what somebody else knows. Members that are gone are no news to newcomers. */
function isNewer(entry: Entry, known: Member | Entry | undefined): boolean {
  if (known === undefined) return entry.presence === 'here'
  const other = 'presence' in known ? known : entryOf(known)
  if (entry.incarnation !== other.incarnation) return entry.incarnation > other.incarnation
  if (entry.tag !== other.tag) return entry.tag < other.tag
  // Of one incarnation: gone is later than here.
  if (entry.presence !== other.presence) return other.presence === 'here'
  return entry.version > other.version
}

export function onWant(scene: MemberScene, from: NodeId, message: Message<'want'>): void {
  if (!spendOn(scene, from, message.members.length / CLAIMS_MAX)) return
  const claims: Claim[] = []
  for (const id of new Set(message.members)) {
    const member = scene.state.members.get(id)
    if (member !== undefined) claims.push(...claimsOf(member))
  }
  give(scene, from, claims)
}

/** All that was said by and about a member, in the order in which it can be understood. */
function claimsOf(member: Member): Claim[] {
  const claims: Claim[] = [member.alive]
  if (member.attributes !== undefined) claims.push(member.attributes)
  if (member.leave !== undefined) claims.push(member.leave)
  const accusations = member.notices.size > 0 ? member.notices : member.accusers
  claims.push(...[...accusations.values()].slice(0, SIDE_CLAIMS_MAX))
  claims.push(...[...member.measures.values()].slice(0, SIDE_CLAIMS_MAX))
  return claims
}

/** As far as that peer may have of our time: what is left over is found by the next comparison. */
function give(scene: MemberScene, to: NodeId, claims: readonly Claim[]): void {
  let part: Claim[] = []
  let bytes = 0
  const send = () => {
    const mayHave = part.length === 0 || spendOn(scene, to, part.length / CLAIMS_A_TOKEN)
    if (part.length > 0 && mayHave) scene.turn.do({ kind: 'send', to, body: { kind: 'gossip', claims: part } })
    part = []
    bytes = 0
    return mayHave
  }
  for (const claim of claims) {
    const size = claimBytes(claim)
    if ((part.length >= CLAIMS_MAX || bytes + size > CLAIMS_BYTES_MAX) && !send()) return
    part.push(claim)
    bytes += size
  }
  send()
}
