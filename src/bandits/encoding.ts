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
/** Where in a block the pair of slots stands. */
const PAIR_AT = 6
/** What a block is for: a block of one kind is never one of another. */
const KIND_TAG = 1
const KIND_DUMMY = 2
const KIND_ROTATION = 3
const KIND_TIES = 4

/** The number that arms compare: the index, and below it the arm's rank among equals, the same in every attempt. */
export function comparable(index: number, tieRank: number): number {
  return index * 2 ** TIE_BITS + tieRank
}

/** The first eight bytes of a block: what it is for, the round, the attempt, and two bytes for the pair of slots. */
function writeBlock(blocks: DataView, place: number, kind: number, at: Attempt): number {
  const start = place * BLOCK_BYTES
  blocks.setUint32(start, kind * 2 ** 24 + (at.all & 0xff_ffff))
  blocks.setUint32(start + 4, (at.attempt & 0xffff) * 2 ** 16)
  return start
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
  const drawn = viewOf(blockFunction(blocksOf(value, slot, shape, at)))
  const tags = new Uint8Array((slots - 1) * bits * TAG_BYTES)
  const to = viewOf(tags)
  for (let pair = 0; pair < slots - 1; pair++) {
    const first = pair * (bits + 1)
    let place = rotation(drawn, first, bits)
    for (let level = 0; level < bits; level++) {
      copyTag(drawn, first + 1 + level, to, pair * bits + place)
      if (++place === bits) place = 0
    }
  }
  return tags
}

/** What the blocks are written into; every call overwrites it, and its blocks are drawn at once. */
let room = new Uint8Array(0)

/** The blocks for all pairs. What an arm says to all on its right is the same but for the pair, and so to all on its left. */
function blocksOf(value: number, slot: number, { slots, bits }: Shape, at: Attempt): Uint8Array {
  const bytes = (bits + 1) * BLOCK_BYTES
  if (room.length !== (slots - 1) * bytes) room = new Uint8Array((slots - 1) * bytes)
  const view = viewOf(room)
  // The first of each kind is written, the others are copies of it.
  const firstOf = { left: -1, right: -1 }
  let start = 0
  for (let other = 0; other < slots; other++) {
    if (other === slot) continue
    const [isLeft, side] = slot < other ? ([true, 'left'] as const) : ([false, 'right'] as const)
    if (firstOf[side] < 0) {
      firstOf[side] = start
      writeLevels(view, start / BLOCK_BYTES, { value, bits, isLeft }, at)
    } else room.copyWithin(start, firstOf[side], firstOf[side] + bytes)
    const pair = isLeft ? slot * 256 + other : other * 256 + slot
    for (let block = start; block < start + bytes; block += BLOCK_BYTES) view.setUint16(block + PAIR_AT, pair)
    start += bytes
  }
  return room
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** The first half of a block becomes a tag. As signed numbers: those need no room of their own. */
function copyTag(drawn: DataView, block: number, tags: DataView, tag: number): void {
  const from = block * BLOCK_BYTES
  const to = tag * TAG_BYTES
  tags.setInt32(to, drawn.getInt32(from))
  tags.setInt32(to + 4, drawn.getInt32(from + 4))
}

interface Levels {
  readonly value: number
  readonly bits: number
  /** Whether the other slot is higher. */
  readonly isLeft: boolean
}

/** First the block of the rotation, then one for each level from the top; all but the pair. */
function writeLevels(blocks: DataView, place: number, { value, bits, isLeft }: Levels, at: Attempt): void {
  const first = writeBlock(blocks, place, KIND_ROTATION, at)
  blocks.setUint32(first + 8, 0)
  blocks.setUint32(first + 12, 0)
  // The bits down to a level; from the bottom, where all of them are there.
  let prefix = value
  for (let level = bits - 1; level >= 0; level--) {
    const half = Math.floor(prefix / 2)
    const speaks = (prefix - 2 * half === 1) === isLeft
    const start = writeBlock(blocks, place + 1 + level, speaks ? KIND_TAG : KIND_DUMMY, at)
    // The right one has 0 here and says what a larger number would have.
    const said = speaks ? (isLeft ? prefix : prefix + 1) : Number(isLeft)
    blocks.setUint32(start + 8, level * 2 ** 24 + Math.floor(said / 2 ** 32))
    blocks.setUint32(start + 12, said % 2 ** 32)
    prefix = half
  }
}

/** By 48 bits: the bias towards small numbers is below 2^-42. */
function rotation(drawn: DataView, place: number, bits: number): number {
  const start = place * BLOCK_BYTES
  return (drawn.getUint32(start) * 2 ** 16 + drawn.getUint16(start + 4)) % bits
}

/** What a comparator finds: for each slot how many others are smaller, or why the lists contradict each other. */
export type Compared = { readonly ranks: readonly number[] } | { readonly refusal: string }

/** Compares all slots by their tags alone. The slot with rank K - 1 has the largest number. */
export function compareTags(lists: readonly Uint8Array[], bits: number): Compared {
  const slots = lists.length
  const views = lists.map(viewOf)
  const ranks = new Array<number>(slots).fill(0)
  for (let left = 0; left < slots; left++) {
    for (let right = left + 1; right < slots; right++) {
      const common = commonTags(views[left]!, right - 1, views[right]!, left, bits)
      if (common > 1) return { refusal: `slots ${left} and ${right} agree at ${common} places` }
      ranks[common === 1 ? left : right]!++
    }
  }
  // Numbers are in one order. Lists that are not come from somebody who answered each neighbour differently.
  if (new Set(ranks).size !== slots) return { refusal: 'the lists are in no order' }
  return { ranks }
}

function commonTags(one: DataView, onePair: number, other: DataView, otherPair: number, bits: number): number {
  let common = 0
  for (let level = 0; level < bits; level++) {
    const a = (onePair * bits + level) * TAG_BYTES
    const b = (otherPair * bits + level) * TAG_BYTES
    if (one.getInt32(a) === other.getInt32(b) && one.getInt32(a + 4) === other.getInt32(b + 4)) common++
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
  const places = viewOf(blocks)
  for (let place = 0; place < draws; place++) {
    places.setUint8(writeBlock(places, place, KIND_TIES, { all, attempt: 0 }) + 15, place)
  }
  const view = viewOf(blockFunction(blocks))
  const ranks = Array.from({ length: arms }, (_, arm) => arm)
  for (let last = arms - 1; last > 0; last--) {
    // 64 bits for a place among at most 256: the bias is below 2^-56.
    const chosen = remainder(view.getUint32(last * 8), view.getUint32(last * 8 + 4), last + 1)
    ;[ranks[last], ranks[chosen]] = [ranks[chosen]!, ranks[last]!]
  }
  return ranks
}

/** Of a number of 64 bits, without a big integer. */
export function remainder(high: number, low: number, divisor: number): number {
  return ((((high % divisor) * (2 ** 32 % divisor)) % divisor) + (low % divisor)) % divisor
}
