// What OMA prints and what does not work, one switch each: off is the ring of src/slots/ring, on is the page. Every
// switch has a story that goes wrong, and an instrument that must find it: a checker (errata.ts), an adversary of the
// assignment game (lab/oma) or a property test. Below them are weaknesses that the paper does not have, for the
// assignment game: an adversary that cannot win when one of them is planted could not win against a mistake of ours
// either.

import { type Millis, seededRandom } from '../../core/index.ts'
import type { Ciphertext, Element } from '../../crypto/index.ts'
import { encrypt, groupKey, randomPermutation, removeLayer, rerandomise } from '../../crypto/index.ts'
import { type RingRules, ringRules } from '../../slots/ring/index.ts'
import { addEntry, type Means, type ReleaseKeys, type ReleaseToken, type Vote } from '../../slots/ring/tokens.ts'

/** Which errata a ring has. */
export interface Flaws {
  /** 1. The larger square root gives p - (m - 1): off by two, and two tickets read the same. For tickets as squares. */
  readonly rootOffByTwo: boolean
  /** 2. The release token is re-randomised with the whole key after layers are gone, and loses a layer twice. */
  readonly fullKeyRelease: boolean
  /** 3. The release token passes a member whose ticket is not opened yet; late shares count in any round. */
  readonly passesUnopened: boolean
  /** 4. A new round resets the requests that wait. */
  readonly forgetsRequests: boolean
  /** 5. The coordinator is i = round mod n with i from 1 to n: round n has none. */
  readonly countsFromOne: boolean
  /** 6. NEW_ROUND is forwarded by everybody, always. */
  readonly forwardsForEver: boolean
  /** 7. A coordinator that wants nothing takes a dummy, also if m = n and there is none. */
  readonly needsDummy: boolean
  /** 8. n shares are waited for, the own one among them, and then the own one is used again. */
  readonly ownShareTwice: boolean
  /** 8. The own share is asked for and given on the wire, like everybody else's. */
  readonly asksItself: boolean
  /** 9. A share is given for any point, to anybody, any number of times. */
  readonly sharesAnything: boolean
  /** 13. Appendix B: the release token is a vector by ticket, and tells which one came free. */
  readonly vectorRelease: boolean

  /** Weakness: tickets are passed on as they came. */
  readonly keepsCiphertexts: boolean
  /** Weakness: tickets are passed on in the order in which they came. */
  readonly keepsOrder: boolean
  /** Weakness: of the tickets it always takes the first. */
  readonly takesFirst: boolean
  /** Weakness: one random number for all tickets of a pass. */
  readonly reusesRandomness: boolean
  /** Weakness: holders put the same number into the secure OR, so that the sum counts them. */
  readonly countsHolders: boolean
  /** Weakness: how long the work on the release token takes for each number of one's ticket. */
  readonly workPerTicket: Millis
  /** Weakness: the entries of the release token go on in the order in which they came, the own one last. */
  readonly releaseKeepsOrder: boolean
  /** Weakness: the entries of the release token go on as they came, but for their layer. */
  readonly releaseKeepsCiphertexts: boolean
  /** Weakness: a member takes the same random numbers for the release token in every lap. */
  readonly releaseRepeatsRandomness: boolean
}

/** The rules of the ring with these lines as printed, or weakened. */
export function flawedRules(flaws: Partial<Flaws>): RingRules {
  return { ...ringRules, ...asPrinted(flaws), ...weakened(flaws) }
}

function asPrinted(flaws: Partial<Flaws>): Partial<RingRules> {
  return {
    // Rounds and ids count from 1, and p_i coordinates if i = round mod n.
    ...(flaws.countsFromOne && { coordinator: (round, members) => ((round + 1) % members) - 1 }),
    ...(flaws.passesUnopened && { passesUnopened: () => true }),
    ...(flaws.forgetsRequests && { keepsRequests: () => false }),
    ...(flaws.forwardsForEver && { forwardsNews: () => true }),
    ...(flaws.needsDummy && { goesWithoutDummy: () => false }),
    ...(flaws.ownShareTwice && { sharesToOpen: (others, own) => [...others, own, own] }),
    ...(flaws.asksItself && { asksItself: () => true }),
    ...(flaws.sharesAnything && { mayShare: () => true }),
    ...(flaws.fullKeyRelease && { release: { ...ringRules.release, pass: passWithWholeKey } }),
    ...(flaws.vectorRelease && { release: vectorRelease }),
  }
}

function weakened(flaws: Partial<Flaws>): Partial<RingRules> {
  const { workPerTicket } = flaws
  return {
    ...(flaws.keepsCiphertexts && { renew: (_group, _key, ticket) => ticket }),
    ...(flaws.keepsOrder && { order: tickets => Array.from({ length: tickets }, (_, place) => place) }),
    ...(flaws.takesFirst && { takes: () => 0 }),
    ...(flaws.reusesRandomness && {
      randomness: (group, tickets, random) => new Array(tickets).fill(group.randomScalar(random)),
    }),
    ...(flaws.countsHolders && { veil: group => group.scalar(1n) }),
    ...(workPerTicket !== undefined && { workOnRelease: opened => workPerTicket * (1 + (opened ?? 0)) }),
    ...(flaws.releaseKeepsOrder && { release: weakRelease(false, true) }),
    ...(flaws.releaseKeepsCiphertexts && { release: weakRelease(true, false) }),
    ...(flaws.releaseRepeatsRandomness && { release: repeatingRelease() }),
  }
}

/**
 * Figures 3 and 7 to the letter: with the whole key throughout, and two layers off at each member. It never
 * decrypts.
 */
function passWithWholeKey(
  means: Means,
  { secret, all }: ReleaseKeys,
  entries: readonly Ciphertext[],
  vote: Vote,
): readonly Ciphertext[] {
  const { group, random } = means
  const whole = groupKey(group, all)
  const randomised = (list: readonly Ciphertext[]) =>
    list.map(entry => rerandomise(group, whole, entry, group.randomScalar(random)))
  const stripped = (list: readonly Ciphertext[]) => list.map(entry => removeLayer(group, secret, entry))
  return stripped(randomised(stripped(addEntry(means, whole, entries, vote))))
}

/** Appendix B: one entry for each ticket, changed from 1 to another value when that ticket comes free. */
const vectorRelease: ReleaseToken = {
  begin: (means, whole, vote) => addToVector(means, whole, [], vote),
  pass(means, { secret, remaining }, entries, vote) {
    const opened = entries.map(entry => removeLayer(means.group, secret, entry))
    return addToVector(means, remaining, opened, vote)
  },
  entries: (_place, members) => members,
}

function addToVector(means: Means, key: Element, entries: readonly Ciphertext[], vote: Vote): readonly Ciphertext[] {
  const { group, random } = means
  const nothing = () => encrypt(group, key, group.identity, group.randomScalar(random))
  const vector = entries.length > 0 ? entries : Array.from({ length: vote.members }, nothing)
  return vector.map((entry, ticket) => {
    const fresh = rerandomise(group, key, entry, group.randomScalar(random))
    return vote.free && ticket === vote.ticket ? { c1: fresh.c1, c2: group.add(fresh.c2, group.generator) } : fresh
  })
}

/** Figure 7, corrected, without its shuffle or without its re-randomisation. */
function weakRelease(shuffles: boolean, renews: boolean): ReleaseToken {
  const add = ({ group, random }: Means, key: Element, entries: readonly Ciphertext[], { free }: Vote) => {
    const own = encrypt(group, key, free ? group.generator : group.identity, group.randomScalar(random))
    const all = [...entries, own]
    const moved = shuffles ? randomPermutation(all.length, random).map(from => all[from]!) : all
    return renews ? moved.map(entry => rerandomise(group, key, entry, group.randomScalar(random))) : moved
  }
  return {
    ...ringRules.release,
    begin: (means, whole, vote) => add(means, whole, [], vote),
    pass(means, { secret, remaining }, entries, vote) {
      const opened = entries.map(entry => removeLayer(means.group, secret, entry))
      return add(means, remaining, opened, vote)
    },
  }
}

/** A member's chance begins again with every lap: as after a fork, or from a seed that is kept. */
function repeatingRelease(): ReleaseToken {
  const { release } = ringRules
  let seed: number | undefined
  const again = ({ group, random }: Means): Means => {
    seed ??= new DataView(random(4).slice().buffer).getUint32(0)
    const chance = seededRandom(seed, 0x4e1)
    return { group, random: length => chance.bytes(length) }
  }
  return {
    ...release,
    begin: (means, whole, vote) => release.begin(again(means), whole, vote),
    pass: (means, keys, entries, vote) => release.pass(again(means), keys, entries, vote),
  }
}
