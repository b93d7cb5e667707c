// What a test saved, and what a store may hand back of it: the state after some prefix of the saves, and not a shorter
// prefix than was called durable. Each record is its own number, so that nothing can pass for another.

import type { Random, Saved, SaveKind } from '../../src/core/index.ts'
import type { Storage } from '../../src/runtime/storage/storage.ts'

interface Save {
  readonly lane: string
  readonly kind: SaveKind | 'forget'
  readonly record: string
  /** Somebody is told when it is durable. */
  readonly awaited: boolean
}

export interface History {
  readonly saves: Save[]
  /** How many saves there were when each life but the first began. */
  readonly lives: number[]
  /** How many of the saves are durable for certain: those up to the last one that was called so. */
  durable: number
  /** Broken rules about the order of calls. */
  readonly complaints: string[]
}

const LANES = ['lock', 'objects', 'élection']
/** Some records larger than a sector, so that a cut can tear one. */
const FILLER_BYTES_MAX = 900
const PLAIN_KINDS = ['append', 'append', 'append', 'begin', 'replace'] as const
const KINDS = ['append', 'append', 'append', 'append', 'begin', 'begin', 'forget', 'forget', 'replace'] as const
const LAZY_ONE_IN = 4

export function newHistory(): History {
  return { saves: [], lives: [], durable: 0, complaints: [] }
}

/** Whatever a store can be asked to do. */
export function saveOne(storage: Storage, history: History, random: Random): void {
  const lane = LANES[random.below(LANES.length)]!
  const kind = KINDS[random.below(KINDS.length)]!
  const record = recordOf(history, random, FILLER_BYTES_MAX)
  give(storage, history, { lane, kind, record, awaited: kind !== 'forget' && random.below(LAZY_ONE_IN) > 0 })
}

/** A record that is awaited, and makes a difference: so that each prefix of the history has a content of its own. */
export function saveAwaited(storage: Storage, history: History, random: Random, fillerMax: number): void {
  const lane = LANES[random.below(LANES.length)]!
  const kind = PLAIN_KINDS[random.below(PLAIN_KINDS.length)]!
  give(storage, history, { lane, kind, record: recordOf(history, random, fillerMax), awaited: true })
}

function recordOf(history: History, random: Random, fillerMax: number): string {
  return `${history.saves.length}:${'x'.repeat(random.below(fillerMax))}`
}

function give(storage: Storage, history: History, save: Save): void {
  const number = history.saves.push(save) - 1
  if (save.kind === 'forget') return storage.forget(save.lane)
  if (!save.awaited) return storage.save(save.lane, Buffer.from(save.record), save.kind)
  storage.save(save.lane, Buffer.from(save.record), save.kind, () => {
    const passedOver = history.saves.slice(history.durable, number).some(({ awaited }) => awaited)
    if (passedOver || number < history.durable) history.complaints.push(`${number} durable after ${history.durable}`)
    history.durable = number + 1
  })
}

/** The store was closed, and all is durable; returns what is wrong with that. */
export function closed(history: History): string[] {
  const untold = history.saves.slice(history.durable).filter(({ awaited }) => awaited)
  history.durable = history.saves.length
  return [...history.complaints, ...untold.map(({ record }) => `${Number.parseInt(record, 10)} never called durable`)]
}

/** The store was opened again and holds the outcome of this many saves: the others never happened. */
export function reopened(history: History, prefix: number): void {
  history.saves.length = prefix
  history.durable = prefix
  history.lives.push(prefix)
}

/** The number of saves whose outcome this is, or undefined where no prefix of the history gives it. */
export function prefixOf(history: History, saved: Saved): number | undefined {
  const found = show([...saved].map(([lane, records]) => [lane, records.map(record => Buffer.from(record).toString())]))
  const lanes = new Map<string, Twin[]>()
  let answer = found === show([]) ? 0 : undefined
  for (const [index, save] of history.saves.entries()) {
    const life = history.lives.filter(beganAt => beganAt <= index).length
    lanes.set(save.lane, after(lanes.get(save.lane) ?? [], save, life))
    const texts = [...lanes].map(([lane, twins]): Shown => [lane, twins.map(({ record }) => record)])
    if (found === show(texts)) answer = index + 1
  }
  return answer
}

/** A record, and the life in which it began an account. */
interface Twin {
  readonly record: string
  readonly begins: number | undefined
}

function after(before: readonly Twin[], { kind, record }: Save, life: number): Twin[] {
  if (kind === 'forget') return before.slice(Math.max(0, before.map(({ begins }) => begins).lastIndexOf(life)))
  return [...(kind === 'replace' ? [] : before), { record, begins: kind === 'begin' ? life : undefined }]
}

type Shown = readonly [lane: string, records: readonly string[]]

function show(lanes: readonly Shown[]): string {
  return JSON.stringify(lanes.filter(([, records]) => records.length > 0).sort())
}

/** For a store that has no reason to fail. */
export function unexpected(error: Error): never {
  throw error
}
