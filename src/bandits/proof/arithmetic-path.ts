// A blind run as arithmetic alone: the same indices, ties, tags and comparisons as its parties have, without their messages and keys.
// Quick enough for ten thousand tapes; that the parties compute just this is what the runs at one table show.

import { seededRandom } from '../../core/index.ts'
import { type BlockFunction, comparable, compareTags, TIE_BITS, tagsOf } from '../encoding.ts'
import type { Source } from '../open.ts'
import type { ArmRecord } from '../policies/index.ts'
import type { PrintedSeals, PrintedSums } from '../printed/ring.ts'
import { permutation } from '../printed/ring.ts'
import { rewardGrid } from '../rewards.ts'
import { banditRules } from '../rules.ts'
import { type Course, scheduleOf } from '../schedule.ts'

/** Blocks that depend on all their bits and on the key, by a few multiplications: for tests, and worth nothing else. */
export function quickBlocks(key: number): BlockFunction {
  return input => {
    const out = new Uint8Array(input.length)
    const [from, to] = [new DataView(input.buffer, input.byteOffset, input.length), new DataView(out.buffer)]
    for (let at = 0; at < input.length; at += 16) {
      let one = key | 0
      let other = ~key
      for (let word = at; word < at + 16; word += 4) {
        const value = from.getUint32(word)
        one = Math.imul(one ^ value, 0x85eb_ca6b)
        one ^= one >>> 15
        other = Math.imul(other + value, 0xc2b2_ae35)
        other ^= other >>> 13
      }
      to.setUint32(at, one)
      to.setUint32(at + 4, other)
      to.setUint32(at + 8, Math.imul(one ^ (other >>> 7), 0x27d4_eb2f))
      to.setUint32(at + 12, Math.imul(other ^ (one >>> 9), 0x1656_67b1))
    }
    return out
  }
}

/** What an arithmetic run came to. */
export interface ArithmeticRun {
  readonly arms: readonly ArmRecord[]
  readonly order: readonly number[]
  /** After a search. */
  readonly best: number | undefined
}

/** `ranks` orders the arms before a round, after that many pulls: the larger wins. */
export function playArithmetic(
  course: Course,
  sources: readonly Source[],
  seed: number,
  ranks: (all: number) => readonly number[],
): ArithmeticRun {
  const schedule = scheduleOf(course)
  const { steps } = rewardGrid()
  const slots = sources.length
  const arms = sources.map(() => ({ pulls: 0, sum: 0, isIn: true }))
  const order: number[] = []
  const random = seededRandom(seed, 0xa1)
  const key = quickBlocks(random.below(2 ** 31))
  const pull = (arm: number, times: number) => {
    for (let time = 0; time < times; time++) {
      const own = arms[arm]!
      own.pulls++
      own.sum += steps(sources[arm]!(own.pulls))
      order.push(arm)
    }
  }
  for (const arm of arms.keys()) pull(arm, schedule.first)
  let best: number | undefined
  const bits = schedule.bits + TIE_BITS
  for (let round = 0; round < schedule.rounds; round++) {
    const { all, stay, pulls } = schedule.at(round)!
    const tie = ranks(all)
    const seated = permutation(slots, random.below)
    const lists = seated.map((arm, slot) => {
      const { isIn, sum, pulls: own } = arms[arm]!
      const index = schedule.policy?.index({ pulls: own, sum }, all, () => 0.5) ?? banditRules.searchIndex(isIn, sum)
      return tagsOf(comparable(index, tie[arm]!), slot, { slots, bits }, { all: round, attempt: 0 }, key)
    })
    const compared = compareTags(lists, bits)
    if ('refusal' in compared) throw new Error(compared.refusal)
    const wins = banditRules.wins(compared.ranks, stay)
    const won = seated.flatMap((arm, slot) => (wins[slot] ? [arm] : []))
    if (schedule.policy === undefined) for (const [arm, own] of arms.entries()) own.isIn = won.includes(arm)
    for (const arm of [...won].sort((a, b) => a - b)) pull(arm, pulls)
    if (schedule.policy === undefined) best = won[0]
  }
  return { arms: arms.map(({ pulls, sum }) => ({ pulls, sum })), order, best }
}

/** Seals that open for their key and their round alone, in a few bytes; sums in the clear. */
export function quickTools(): { readonly seals: PrintedSeals; readonly sums: PrintedSums } {
  const mark = (key: string, about: string) => {
    let hash = 0x811c_9dc5
    for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x0100_0193)
    for (let at = 0; at < about.length; at++) hash = Math.imul(hash ^ about.charCodeAt(at), 0x0100_0193)
    return hash >>> 0
  }
  return {
    seals: {
      seal(key, about, message) {
        const out = new Uint8Array(4 + message.length)
        new DataView(out.buffer).setUint32(0, mark(key, about))
        out.set(message, 4)
        return out
      },
      open(key, about, sealed) {
        const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.length)
        return sealed.length >= 4 && view.getUint32(0) === mark(key, about) ? sealed.slice(4) : undefined
      },
    },
    sums: { encrypt: value => value, add: (one, other) => one + other, decrypt: value => value },
  }
}
