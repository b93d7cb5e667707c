// What happens to a token, as arithmetic on lists of ciphertexts (OMA appendix B, figures 4 to 7, corrected). The
// operation of the group is written as addition: the paper's product of two ciphertexts is a sum here.

import {
  type Ciphertext,
  type Element,
  encrypt,
  type Group,
  groupKey,
  type RandomBytes,
  randomPermutation,
  removeLayer,
  rerandomise,
  type Scalar,
} from '../../crypto/index.ts'
import type { PrintedRules } from './rules.ts'
import type { PassSecret } from './state.ts'

export interface Means {
  readonly group: Group
  readonly rules: PrintedRules
  readonly random: RandomBytes
}

/** create_request_token: the tickets under the whole key, in an order that the list does not tell. */
export function makeTickets(means: Means, key: Element, contents: readonly Element[]): Shuffled {
  const { group } = means
  const randomness = draws(means, contents.length)
  return shuffled(
    means,
    key,
    contents.map((content, place) => encrypt(group, key, content, randomness[place]!)),
  )
}

export interface Shuffled {
  readonly tickets: readonly Ciphertext[]
  readonly secret: PassSecret
}

/** shuffle and randomize_token (figure 2, lines 04 and 05; figure 6). */
export function shuffled(means: Means, key: Element, tickets: readonly Ciphertext[]): Shuffled {
  const { group, rules, random } = means
  const permutation = rules.keepsOrder ? tickets.map((_, place) => place) : randomPermutation(tickets.length, random)
  const randomness = draws(means, tickets.length)
  const moved = permutation.map((from, place) =>
    rules.keepsCiphertexts ? tickets[from]! : rerandomise(group, key, tickets[from]!, randomness[place]!),
  )
  return { tickets: moved, secret: { permutation, randomness, taken: -1 } }
}

function draws({ group, rules, random }: Means, count: number): Scalar[] {
  const first = group.randomScalar(random)
  return Array.from({ length: count }, (_, place) =>
    place === 0 || rules.reusesRandomness ? first : group.randomScalar(random),
  )
}

/** The release token as each level and each page has it. */
export interface Vote {
  /** Nothing is held here. */
  readonly free: boolean
  /** The number of one's ticket: for the vector of appendix B. */
  readonly ticket: number
  /** n */
  readonly members: number
}

/**
 * One member's turn with the release token of figure 7, corrected: its layer comes off every entry once, its own entry
 * is added under the keys that remain, all are re-randomised with those, and shuffled.
 */
export function passRelease(
  means: Means,
  secret: Scalar,
  remaining: Element,
  entries: readonly Ciphertext[],
  vote: Vote,
): readonly Ciphertext[] {
  const { group } = means
  const opened = entries.map(entry => removeLayer(group, secret, entry))
  return added(means, remaining, opened, vote)
}

/** The coordinator's beginning: its own entry, under the whole key. */
export function beginRelease(means: Means, whole: Element, vote: Vote): readonly Ciphertext[] {
  return added(means, whole, [], vote)
}

function added(means: Means, key: Element, entries: readonly Ciphertext[], vote: Vote): readonly Ciphertext[] {
  const { group, rules, random } = means
  if (rules.vectorRelease) return addedToVector(means, key, entries, vote)
  const own = encrypt(group, key, vote.free ? group.generator : group.identity, group.randomScalar(random))
  const order = randomPermutation(entries.length + 1, random)
  const all = [...entries, own]
  return order.map(from => rerandomise(group, key, all[from]!, group.randomScalar(random)))
}

/** Appendix B: one entry for each ticket, changed from 1 to another value when that ticket comes free. */
function addedToVector(means: Means, key: Element, entries: readonly Ciphertext[], vote: Vote): readonly Ciphertext[] {
  const { group, random } = means
  const nothing = () => encrypt(group, key, group.identity, group.randomScalar(random))
  const vector = entries.length > 0 ? entries : Array.from({ length: vote.members }, nothing)
  return vector.map((entry, ticket) => {
    const fresh = rerandomise(group, key, entry, group.randomScalar(random))
    return vote.free && ticket === vote.ticket ? { c1: fresh.c1, c2: group.add(fresh.c2, group.generator) } : fresh
  })
}

/**
 * Figures 3 and 7 to the letter: with the whole key throughout, and two layers off at each member. It never
 * decrypts.
 */
export function passReleaseAsPrinted(
  means: Means,
  secret: Scalar,
  whole: Element,
  entries: readonly Ciphertext[],
  vote: Vote,
): readonly Ciphertext[] {
  const { group, random } = means
  const randomised = (list: readonly Ciphertext[]) =>
    list.map(entry => rerandomise(group, whole, entry, group.randomScalar(random)))
  const stripped = (list: readonly Ciphertext[]) => list.map(entry => removeLayer(group, secret, entry))
  return stripped(randomised(stripped(added(means, whole, entries, vote))))
}

/** isFree, by the coordinator, whose layer goes last: how many said free. */
export function countFree(group: Group, secret: Scalar, entries: readonly Ciphertext[]): number {
  const contents = entries.map(entry => removeLayer(group, secret, entry).c2)
  return contents.filter(content => group.equal(content, group.generator)).length
}

/**
 * One member's turn with the secure OR: its layer off, then (r·G, r·Y' + ρ·G) added, where Y' are the keys that remain
 * and ρ is random for a holder and zero for the others. Both are computed, then one is taken.
 */
export function passOr(means: Means, secret: Scalar, remaining: Element, sum: Ciphertext, free: boolean): Ciphertext {
  return addVote(means, remaining, removeLayer(means.group, secret, sum), free)
}

export function beginOr(means: Means, whole: Element, free: boolean): Ciphertext {
  const { group } = means
  return addVote(means, whole, { c1: group.identity, c2: group.identity }, free)
}

function addVote({ group, rules, random }: Means, key: Element, sum: Ciphertext, free: boolean): Ciphertext {
  const veil = group.multiplyBase(rules.countsHolders ? group.scalar(1n) : group.randomScalar(random))
  const fresh = rerandomise(group, key, sum, group.randomScalar(random))
  const held = { c1: fresh.c1, c2: group.add(fresh.c2, veil) }
  return free ? fresh : held
}

/** All free exactly if nothing is left; by the coordinator, whose layer goes last. */
export function orIsFree(group: Group, secret: Scalar, sum: Ciphertext): boolean {
  return group.equal(removeLayer(group, secret, sum).c2, group.identity)
}

/** The keys whose layers are still on after the member at this place took off its own: those behind it, and place 0. */
export function remainingKey(group: Group, keysByPlace: readonly Element[], place: number): Element {
  return groupKey(group, [...keysByPlace.slice(place + 1), keysByPlace[0]!])
}
