// A comparison without a number. Two arms turn their numbers into lists of tags; a third party that holds no key sees
// whether the two lists agree at one place or at none, and thereby which number is larger, and nothing else.
//
// The idea (0- and 1-encodings, Lin and Tzeng 2005): x > y exactly if at some binary place x has 1, y has 0, and all
// places above are equal. So the left one tags, at each place where it has 1, its bits down to there; the right one, at
// each place where it has 0, its bits above and then a 1. Exactly one tag is common if x > y, none otherwise. Where one
// has nothing to say it puts a dummy, and both lists are rotated by the same secret number, so that the place at which
// they agree tells nothing (protocols/bandits 3).

/** Encrypts blocks of 16 bytes in place of a pseudo-random function: AES-256 with the key of all arms. */
export type BlockFunction = (blocks: Uint8Array) => Uint8Array

/** Which attempt at which round: tags of two of them have nothing in common. */
export interface Attempt {
  /** Pulls of all arms so far. */
  readonly all: number
  readonly attempt: number
}

export const TAG_BYTES = 8
/** Bits below an index that order arms with equal indices. */
export const TIE_BITS = 8
const BLOCK_BYTES = 16
/** What a block is for: a block of one kind is never one of another. */
const KIND_TAG = 1
const KIND_DUMMY = 2
const KIND_ROTATION = 3
const KIND_TIES = 4

/** The number that arms compare: the index, and below it the arm's rank among equals, the same in every attempt. */
export function comparable(index: number, tieRank: number): number {
  return index * 2 ** TIE_BITS + tieRank
}

function writeBlock(blocks: Uint8Array, place: number, kind: number, at: Attempt): number {
  const start = place * BLOCK_BYTES
  blocks[start] = kind
  blocks[start + 1] = at.all >>> 16
  blocks[start + 2] = at.all >>> 8
  blocks[start + 3] = at.all
  blocks[start + 4] = at.attempt >>> 8
  blocks[start + 5] = at.attempt
  return start
}

/** Seven bytes for a number below 2^53. */
function writeNumber(blocks: Uint8Array, start: number, value: number): void {
  const high = Math.floor(value / 2 ** 32)
  const low = value >>> 0
  blocks[start] = high >>> 16
  blocks[start + 1] = high >>> 8
  blocks[start + 2] = high
  blocks[start + 3] = low >>> 24
  blocks[start + 4] = low >>> 16
  blocks[start + 5] = low >>> 8
  blocks[start + 6] = low
}

/** The shape of a round: how many slots there are, and how many bits are compared. */
export interface Shape {
  readonly slots: number
  readonly bits: number
}

/**
 * The tags of the arm in `slot`, for every other slot in order, `bits` of them each. One call of the block function for
 * the whole message.
 */
export function tagsOf(
  value: number,
  slot: number,
  shape: Shape,
  at: Attempt,
  blockFunction: BlockFunction,
): Uint8Array {
  const { slots, bits } = shape
  const perPair = bits + 1
  const blocks = new Uint8Array((slots - 1) * perPair * BLOCK_BYTES)
  let place = 0
  for (let other = 0; other < slots; other++) {
    if (other === slot) continue
    writePair(blocks, place, { value, bits, slot, other }, at)
    place += perPair
  }
  const drawn = blockFunction(blocks)
  const tags = new Uint8Array((slots - 1) * bits * TAG_BYTES)
  for (let pair = 0; pair < slots - 1; pair++) {
    const first = pair * perPair
    const turn = rotation(drawn, first, bits)
    for (let level = 0; level < bits; level++) {
      const from = (first + 1 + level) * BLOCK_BYTES
      const to = (pair * bits + ((level + turn) % bits)) * TAG_BYTES
      tags.set(drawn.subarray(from, from + TAG_BYTES), to)
    }
  }
  return tags
}

interface Pair {
  readonly value: number
  readonly bits: number
  readonly slot: number
  readonly other: number
}

/** First the block of the rotation, then one for each level from the top. */
function writePair(blocks: Uint8Array, place: number, pair: Pair, at: Attempt): void {
  const { value, bits, slot, other } = pair
  const isLeft = slot < other
  const [left, right] = isLeft ? [slot, other] : [other, slot]
  writeSlots(blocks, writeBlock(blocks, place, KIND_ROTATION, at), left, right)
  for (let level = 0; level < bits; level++) {
    // The bits down to this level.
    const prefix = Math.floor(value / 2 ** (bits - 1 - level))
    const speaks = (prefix % 2 === 1) === isLeft
    const start = writeBlock(blocks, place + 1 + level, speaks ? KIND_TAG : KIND_DUMMY, at)
    writeSlots(blocks, start, left, right)
    blocks[start + 8] = level
    // The right one has 0 here and says what a larger number would have.
    writeNumber(blocks, start + 9, speaks ? (isLeft ? prefix : prefix + 1) : Number(isLeft))
  }
}

function writeSlots(blocks: Uint8Array, start: number, left: number, right: number): void {
  blocks[start + 6] = left
  blocks[start + 7] = right
}

/** By 48 bits: the bias towards small numbers is below 2^-42. */
function rotation(drawn: Uint8Array, place: number, bits: number): number {
  const start = place * BLOCK_BYTES
  let sum = 0
  for (let at = 0; at < 6; at++) sum = sum * 256 + drawn[start + at]!
  return sum % bits
}

/** What a comparator finds: for each slot how many others are smaller, or why the lists contradict each other. */
export type Compared = { readonly ranks: readonly number[] } | { readonly refusal: string }

/** Compares all slots by their tags alone. The slot with rank K - 1 has the largest number. */
export function compareTags(lists: readonly Uint8Array[], bits: number): Compared {
  const slots = lists.length
  const ranks = new Array<number>(slots).fill(0)
  for (let left = 0; left < slots; left++) {
    for (let right = left + 1; right < slots; right++) {
      const common = commonTags(lists[left]!, right - 1, lists[right]!, left, bits)
      if (common > 1) return { refusal: `slots ${left} and ${right} agree at ${common} places` }
      ranks[common === 1 ? left : right]!++
    }
  }
  // Numbers are in one order. Lists that are not come from somebody who answered each neighbour differently.
  if (new Set(ranks).size !== slots) return { refusal: 'the lists are in no order' }
  return { ranks }
}

function commonTags(one: Uint8Array, onePair: number, other: Uint8Array, otherPair: number, bits: number): number {
  let common = 0
  for (let level = 0; level < bits; level++) {
    const a = (onePair * bits + level) * TAG_BYTES
    const b = (otherPair * bits + level) * TAG_BYTES
    let differs = 0
    for (let at = 0; at < TAG_BYTES; at++) differs |= one[a + at]! ^ other[b + at]!
    if (differs === 0) common++
  }
  return common
}

/**
 * The order of arms with equal indices: a permutation drawn for this number of pulls, the same in every attempt. By slot
 * it would show the comparator that there is a tie; by arm it does not, since nobody but the shuffler knows who is where.
 */
export function tieRanks(arms: number, all: number, blockFunction: BlockFunction): number[] {
  const draws = Math.ceil(arms / 2)
  const blocks = new Uint8Array(draws * BLOCK_BYTES)
  for (let place = 0; place < draws; place++) {
    const start = writeBlock(blocks, place, KIND_TIES, { all, attempt: 0 })
    blocks[start + 15] = place
  }
  const drawn = blockFunction(blocks)
  const view = new DataView(drawn.buffer, drawn.byteOffset, drawn.byteLength)
  const ranks = Array.from({ length: arms }, (_, arm) => arm)
  for (let last = arms - 1; last > 0; last--) {
    // 64 bits for a place among at most 256: the bias is below 2^-56.
    const chosen = Number(view.getBigUint64(last * 8) % BigInt(last + 1))
    ;[ranks[last], ranks[chosen]] = [ranks[chosen]!, ranks[last]!]
  }
  return ranks
}
