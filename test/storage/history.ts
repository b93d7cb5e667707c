// What a test saved, and what a store may hand back of it: the state after some prefix of the saves, and not a shorter
// prefix than was called durable. Each record is its own number, so that nothing can pass for another.

import type { Random, Saved } from '../../src/core/index.ts'
import type { Storage } from '../../src/runtime/storage/storage.ts'

interface Save {
  readonly lane: string
  readonly record: string
  readonly replaces: boolean
}

export interface History {
  readonly saves: Save[]
  /** How many of the saves were called durable. */
  durable: number
  /** Broken rules about the order of calls. */
  readonly complaints: string[]
}

const LANES = ['lock', 'objects', 'élection']
/** Some records larger than a sector, so that a cut can tear one. */
const FILLER_BYTES_MAX = 900
const REPLACES_ONE_IN = 4

export function newHistory(): History {
  return { saves: [], durable: 0, complaints: [] }
}

export function saveOne(storage: Storage, history: History, random: Random, fillerMax = FILLER_BYTES_MAX): void {
  const number = history.saves.length
  const save = {
    lane: LANES[random.below(LANES.length)]!,
    record: `${number}:${'x'.repeat(random.below(fillerMax))}`,
    replaces: random.below(REPLACES_ONE_IN) === 0,
  }
  history.saves.push(save)
  storage.save(save.lane, Buffer.from(save.record), save.replaces, () => {
    if (history.durable !== number) history.complaints.push(`${number} durable after ${history.durable}`)
    history.durable = number + 1
  })
}

/** The number of saves whose outcome this is, or undefined where no prefix of the history gives it. */
export function prefixOf(history: History, saved: Saved): number | undefined {
  const found = show(saved)
  const state = new Map<string, Uint8Array[]>()
  let answer = found === show(state) ? 0 : undefined
  for (const [index, { lane, record, replaces }] of history.saves.entries()) {
    state.set(lane, replaces ? [Buffer.from(record)] : [...(state.get(lane) ?? []), Buffer.from(record)])
    if (found === show(state)) answer = index + 1
  }
  return answer
}

function show(saved: Saved): string {
  const lanes = [...saved].map(([lane, records]) => [lane, records.map(record => Buffer.from(record).toString())])
  return JSON.stringify(lanes.sort())
}

/** For a store that has no reason to fail. */
export function unexpected(error: Error): never {
  throw error
}
