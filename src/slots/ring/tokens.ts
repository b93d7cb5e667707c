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

/** What a pass is made with. */
export interface Means {
  readonly group: Group
  readonly random: RandomBytes
}

/** How tickets are passed on: the lines of `RingRules` that are arithmetic. */
export interface PassRules {
  /** The order in which they go on: place of the output → place of the input. */
  order(tickets: number, random: RandomBytes): readonly number[]
  /** The randomness for the tickets of one pass. */
  randomness(group: Group, tickets: number, random: RandomBytes): readonly Scalar[]
  /** A ticket as it is passed on. */
  readonly renew: typeof rerandomise
}

export interface PassSecret {
  /** Place of the output → place of the input. */
  readonly permutation: readonly number[]
  readonly randomness: readonly Scalar[]
  /** Which place of the shuffled list was taken; -1: none. */
  readonly taken: number
}

export interface Shuffled {
  readonly tickets: readonly Ciphertext[]
  readonly secret: PassSecret
}

/** create_request_token: the tickets under the whole key, in an order that the list does not tell. */
export function makeTickets(means: Means, rules: PassRules, key: Element, contents: readonly Element[]): Shuffled {
  const { group, random } = means
  const randomness = rules.randomness(group, contents.length, random)
  const made = contents.map((content, place) => encrypt(group, key, content, randomness[place]!))
  return shuffled(means, rules, key, made)
}

/** shuffle and randomize_token (figure 2, lines 04 and 05; figure 6). */
export function shuffled(means: Means, rules: PassRules, key: Element, tickets: readonly Ciphertext[]): Shuffled {
  const { group, random } = means
  const permutation = rules.order(tickets.length, random)
  const randomness = rules.randomness(group, tickets.length, random)
  const moved = permutation.map((from, place) => rules.renew(group, key, tickets[from]!, randomness[place]!))
  return { tickets: moved, secret: { permutation, randomness, taken: -1 } }
}

/** What a member says with the release token. */
export interface Vote {
  /** Nothing is held here. */
  readonly free: boolean
  /** The number of its ticket: for the vector of appendix B, which the lab has. */
  readonly ticket: number
  /** n */
  readonly members: number
}

/** What a member passes a release token on with. */
export interface ReleaseKeys {
  readonly secret: Scalar
  /** The sum of the keys whose layers are still on after ours is off. */
  readonly remaining: Element
  /** Of all members, by position. */
  readonly all: readonly Element[]
}

/** The release token of level `curious`, from the coordinator's beginning to its end. */
export interface ReleaseToken {
  begin(means: Means, whole: Element, vote: Vote): readonly Ciphertext[]
  pass(means: Means, keys: ReleaseKeys, entries: readonly Ciphertext[], vote: Vote): readonly Ciphertext[]
  /** How many entries reach the member at this place; the coordinator's is 0. */
  entries(place: number, members: number): number
}

/**
 * One member's turn with the release token of figure 7, corrected: its layer comes off every entry once, its own entry
 * is added under the keys that remain, all are re-randomised with those, and shuffled.
 */
export function passRelease(
  means: Means,
  { secret, remaining }: ReleaseKeys,
  entries: readonly Ciphertext[],
  vote: Vote,
): readonly Ciphertext[] {
  const opened = entries.map(entry => removeLayer(means.group, secret, entry))
  return addEntry(means, remaining, opened, vote)
}

/** The coordinator's beginning: its own entry, under the whole key. */
export function beginRelease(means: Means, whole: Element, vote: Vote): readonly Ciphertext[] {
  return addEntry(means, whole, [], vote)
}

/** Every member that had the token before has added one. */
export function releaseEntries(place: number, members: number): number {
  return place === 0 ? members : place
}

export function addEntry(
  means: Means,
  key: Element,
  entries: readonly Ciphertext[],
  vote: Vote,
): readonly Ciphertext[] {
  const { group, random } = means
  const own = encrypt(group, key, vote.free ? group.generator : group.identity, group.randomScalar(random))
  const order = randomPermutation(entries.length + 1, random)
  const all = [...entries, own]
  return order.map(from => rerandomise(group, key, all[from]!, group.randomScalar(random)))
}

/** isFree, by the coordinator, whose layer goes last: how many said free. */
export function countFree(group: Group, secret: Scalar, entries: readonly Ciphertext[]): number {
  const contents = entries.map(entry => removeLayer(group, secret, entry).c2)
  return contents.filter(content => group.equal(content, group.generator)).length
}

/** What a holder adds to the secure OR, and whether we are one. */
export interface OrVote {
  readonly free: boolean
  veil(group: Group, random: RandomBytes): Scalar
}

/**
 * One member's turn with the secure OR: its layer off, then (r·G, r·Y' + ρ·G) added, where Y' are the keys that remain
 * and ρ is random for a holder and zero for the others. Both are computed, then one is taken.
 */
export function passOr(means: Means, keys: ReleaseKeys, sum: Ciphertext, vote: OrVote): Ciphertext {
  return addVote(means, keys.remaining, removeLayer(means.group, keys.secret, sum), vote)
}

export function beginOr(means: Means, whole: Element, vote: OrVote): Ciphertext {
  const { group } = means
  return addVote(means, whole, { c1: group.identity, c2: group.identity }, vote)
}

function addVote({ group, random }: Means, key: Element, sum: Ciphertext, { free, veil }: OrVote): Ciphertext {
  const added = group.multiplyBase(veil(group, random))
  const fresh = rerandomise(group, key, sum, group.randomScalar(random))
  const held = { c1: fresh.c1, c2: group.add(fresh.c2, added) }
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
