// What each party of a blind run is shown, recorded from whole runs in virtual time, and whether it tells what must stay hidden from it:
// a chi-square of everything that is shown against everything that is hidden, for far, near and tied arms. A party that sees what it
// must not is found by it: proof/planted-views.ts has the bugs.

import type { NodeId } from '../../core/index.ts'
import { openBox, openedByArms } from '../box.ts'
import { TAG_BYTES, TIE_BITS } from '../encoding.ts'
import type { Source } from '../open.ts'
import type { BanditRules } from '../rules.ts'
import { scheduleOf } from '../schedule.ts'
import type { Algorithm, BanditKeys } from '../settings.ts'
import type { BanditMessage } from '../wire.ts'
import type { IdealParties } from './ideal.ts'
import { playTimed, type TimedResult } from './timed.ts'

/** One thing that was shown, and what was hidden at that time; `among` is what the party knows anyhow. */
export interface Shown {
  readonly feature: string
  readonly among: string
  readonly hidden: string
  readonly value: string
}

/** Who looks: the three alone, and the shuffler with one arm. */
export type Viewer = 'shuffler' | 'comparator' | 'arm' | 'shuffler and an arm'

/** What is played to be looked at. */
export interface RecordedShape {
  readonly algorithm: Algorithm
  readonly budget: number
  readonly sources: readonly Source[]
  readonly seed: number
  readonly pace: number
  readonly parties: IdealParties
  readonly rules?: BanditRules
  pullMs(arm: number, number: number): number
}

type Body<Kind extends BanditMessage['kind']> = BanditMessage & { readonly kind: Kind }

/** A run, with everything that somebody was shown in it. */
export class Recording {
  readonly played: TimedResult
  /** What the comparator found in boxes. */
  private readonly opened: Uint8Array[] = []
  /** The arms that were pulled after a round. */
  private readonly winners = new Map<number, number[]>()
  private readonly seats = new Map<string, number>()
  private readonly ids: readonly NodeId[]
  private readonly shape: RecordedShape

  constructor(shape: RecordedShape) {
    const { algorithm, budget, pace, sources, seed, rules, pullMs } = shape
    this.shape = shape
    this.played = playTimed({
      run: { algorithm, budget, pace, ...(rules && { armTimeout: 2_000, drops: true }) },
      sources,
      seed,
      pullMs,
      parties: { ...shape.parties, keysOf: id => this.watched(id, shape.parties.keysOf(id)) },
      ...(rules && { rules }),
    })
    this.ids = this.played.run.arms.map(({ id }) => id)
    for (const { arm, round } of this.played.pulls) this.winners.set(round, [...(this.winners.get(round) ?? []), arm])
    for (const [round, arms] of this.winners) this.winners.set(round, [...new Set(arms)])
    for (const { to, body } of this.played.said) {
      if (body.kind === 'turn') this.seats.set(`${to} ${body.round} ${body.attempt}`, body.slot)
    }
  }

  /** The comparator's keys, where everything that it opens is written down. */
  private watched(id: NodeId, keys: BanditKeys): BanditKeys {
    if (id !== 'comparator') return keys
    const { tools } = keys
    const of = (secret: Uint8Array) => {
      const sealing = tools.sealing.of(secret)
      const open = (sealed: Uint8Array) => {
        const message = sealing.open(sealed)
        if (message !== undefined) this.opened.push(message)
        return message
      }
      return { ...sealing, open }
    }
    return { ...keys, tools: { ...tools, sealing: { ...tools.sealing, of } } }
  }

  /** Everything that this party was shown. */
  shownTo(viewer: Viewer): readonly Shown[] {
    switch (viewer) {
      case 'shuffler':
        return this.shownToShuffler()
      case 'comparator':
        return this.shownToComparator()
      case 'arm':
        return this.shownToArm()
      case 'shuffler and an arm':
        return this.shownToBoth()
    }
  }

  private readonly won = (round: number, arm: number) =>
    this.winners.get(round)?.includes(arm) ? 'pulled' : 'not pulled'

  private *turns(): Iterable<{ readonly at: number; readonly arm: number; readonly body: Body<'turn'> }> {
    const seen = new Set<string>()
    for (const { at, to, body } of this.played.said) {
      if (body.kind !== 'turn' || body.round >= this.rounds) continue
      const key = `${to} ${body.round} ${body.attempt}`
      if (!seen.has(key)) yield { at, arm: this.ids.indexOf(to), body }
      seen.add(key)
    }
  }

  private get rounds(): number {
    return scheduleOf(this.played.run).rounds
  }

  private boxes(): ReadonlyMap<string, { readonly at: number; readonly box: Uint8Array }> {
    const found = new Map<string, { readonly at: number; readonly box: Uint8Array }>()
    for (const { at, from, body } of this.played.said) {
      if (body.kind !== 'box') continue
      const key = `${from} ${body.round} ${body.attempt}`
      if (!found.has(key)) found.set(key, { at, box: body.box })
    }
    return found
  }

  /** By name: when a box came, how long it is, bits of it and of the token; hidden is who was pulled after the round before. */
  private shownToShuffler(): Shown[] {
    const rows: Shown[] = []
    const boxes = this.boxes()
    const fresh = new Map<string, string>()
    for (const { at, arm, body } of this.turns()) {
      const { round, attempt, token } = body
      if (round === 0) continue
      const among = `${this.ids[arm]}`
      const show = (feature: string, value: unknown) =>
        rows.push({ feature, among, hidden: this.won(round - 1, arm), value: String(value) })
      if (attempt === 0) for (const place of [0, 7, 15]) show(`bits of its token at ${place}`, bitsAt(token, place))
      const said = boxes.get(`${among} ${round} ${attempt}`)
      show('whether it sent a box', said !== undefined)
      if (said === undefined) continue
      show('how long after its turn', said.at - at)
      show('how long its box is', said.box.length)
      for (const place of PLACES) show(`bits of its box at ${place}`, bitsAt(said.box, place))
      const beginning = repeated(fresh, hex(said.box.subarray(0, 8)), hex(said.box))
      rows.push({ feature: 'what begins as another box', among, hidden: NEVER, value: beginning })
    }
    return rows
  }

  /** By slot: who wins, who won before, and where an arm of an earlier attempt sits now; hidden are the names. */
  private shownToComparator(): Shown[] {
    const rows: Shown[] = []
    const seat = (arm: number, round: number, attempt: number) =>
      this.seats.get(`${this.ids[arm]} ${round} ${attempt}`) ?? -1
    const show = (feature: string, hidden: unknown, value: unknown) =>
      rows.push({ feature, among: 'all', hidden: String(hidden), value: String(value) })
    const last = new Map<number, number>()
    for (const { body } of this.turns()) last.set(body.round, Math.max(last.get(body.round) ?? 0, body.attempt))
    for (const [round, arms] of this.winners) {
      const attempt = last.get(round)
      if (round < 0 || attempt === undefined) continue
      for (const arm of arms) {
        show('slot of a winner', this.ids[arm], seat(arm, round, attempt))
        show('slot of a winner', UNIFORM, seat(arm, round, attempt))
      }
      for (const arm of this.winners.get(round - 1) ?? []) {
        show('slots in two rounds', UNIFORM, `${seat(arm, round - 1, last.get(round - 1) ?? 0)} ${seat(arm, round, 0)}`)
      }
    }
    for (const value of this.linked()) show('whose token came before', NEVER, value)
    return rows
  }

  /** Tokens that the comparator has seen in an earlier box name the arm behind a slot, attempt after attempt. */
  private *linked(): Iterable<string> {
    const tokens = new Set<string>()
    for (const message of this.opened) {
      const token = hex(message.subarray(TOKEN_AT, TOKEN_AT + 16))
      yield tokens.has(token) ? 'one that it knows' : NOTHING
      tokens.add(token)
    }
  }

  /** Its own slot and the time between its box and its next turn; hidden is what the others do. */
  private shownToArm(): Shown[] {
    const rows: Shown[] = []
    const boxes = this.boxes()
    let before: number | undefined
    for (const { at, arm, body } of this.turns()) {
      if (arm !== 0 || body.attempt > 0) continue
      const { round, slot } = body
      const show = (feature: string, hidden: unknown, value: unknown, among = this.won(round - 1, 0)) =>
        rows.push({ feature, among, hidden: String(hidden), value: String(value) })
      show('its slot', UNIFORM, slot, 'all')
      if (before !== undefined) show('its slots in two rounds', UNIFORM, `${before} ${slot}`, 'all')
      show('its slot', this.winners.get(round - 1)?.[0], slot)
      show('its slot', this.won(round, 0), slot, 'this round')
      const said = boxes.get(`${this.ids[0]} ${round - 1} 0`)
      // Whether the others made the round be tried again is told to all: then its time says no more.
      const isFirst = body.tokenAttempt === 0
      if (said !== undefined && isFirst) {
        show('how long until its turn', this.winners.get(round - 2)?.[0], at - said.at, this.won(round - 2, 0))
      }
      before = slot
    }
    return rows
  }

  /** What opens with an arm's keys, in the boxes of the others by name: how it compares with that arm's own. */
  private shownToBoth(): Shown[] {
    const rows: Shown[] = []
    const [own] = this.played.arms
    if (own?.keys === undefined) return rows
    const { tools } = this.shape.parties.keysOf(this.ids[0]!)
    const { boxes: key, run } = own.keys
    const tags = (this.ids.length - 1) * (scheduleOf(this.played.run).bits + TIE_BITS)
    for (const [name, { box }] of this.boxes()) {
      const [id, round, attempt] = name.split(' ') as [string, string, string]
      const place = { run, round: Number(round), attempt: Number(attempt), slot: this.seats.get(name) ?? 0 }
      const found = openBox(openedByArms(tools, key), tools, key, place, { sealed: box, tags })
      const arm = this.ids.indexOf(id)
      if (arm === 0) continue
      const value = found === undefined ? NOTHING : bitsAt(found.tags, TAG_BYTES)
      rows.push({ feature: 'what opens', among: id, hidden: NEVER, value })
    }
    return rows
  }
}

/** What is shown must be one of its values as often as another. */
const UNIFORM = 'uniform'
/** What is shown must never be anything. */
const NEVER = 'never'
const NOTHING = 'nothing'
const PLACES = [0, 9, 31, 33, 50, 80, 200]
/** After the proof and the check of the key. */
const TOKEN_AT = 32 + 8

const hex = (bytes: Uint8Array) => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
/** Two bits: four values, so that each is seen often. */
const bitsAt = (bytes: Uint8Array, place: number) => String((bytes[place] ?? 0) & 3)

/** Whether two different things begin alike. */
function repeated(seen: Map<string, string>, start: string, whole: string): string {
  const before = seen.get(start)
  seen.set(start, whole)
  return before === undefined || before === whole ? NOTHING : 'another box'
}

/** How far what was shown is from telling anything, and how far it may be by chance. */
export interface Told {
  readonly feature: string
  readonly distance: number
  /** The 99.999 % point of the chi-square; 0 where nothing may differ at all. */
  readonly limit: number
}

/** Rarer values are taken together, and what was hidden more rarely is left out: a chi-square needs some of each. */
const RARE = 20
/** The 99.999 % point of the normal distribution: a hundred features are looked at, and all of them together pass 99.9 times in 100. */
const QUANTILE = 4.2649

/** The point of a chi-square that the normal distribution has at `quantile`, by Wilson and Hilferty: within a fiftieth of it. */
export function chiSquareLimit(degrees: number, quantile = QUANTILE): number {
  if (degrees === 0) return 0
  const part = 2 / (9 * degrees)
  return degrees * (1 - part + quantile * Math.sqrt(part)) ** 3
}

/** For each feature how much it tells. `slots`: how many values something uniform has. */
export function told(rows: readonly Shown[], slots: number): readonly Told[] {
  return [...new Set(rows.map(({ feature }) => feature))].flatMap(feature => {
    const of = rows.filter(row => row.feature === feature)
    const named = of.filter(({ hidden }) => hidden !== UNIFORM && hidden !== NEVER)
    const uniform = of.filter(({ hidden }) => hidden === UNIFORM).map(({ value }) => value)
    const never = of.filter(({ hidden }) => hidden === NEVER)
    const pairs = uniform[0]?.includes(' ') ? slots ** 2 : slots
    return [
      ...(named.length > 0 ? [{ feature, ...dependence(named) }] : []),
      ...(uniform.length > 0 ? [{ feature: `${feature}, as chance`, ...unevenness(uniform, pairs) }] : []),
      ...(never.length > 0
        ? [{ feature, distance: never.filter(({ value }) => value !== NOTHING).length, limit: 0 }]
        : []),
    ]
  })
}

/** Those that tell more than chance. */
export function leaks(rows: readonly Shown[], slots: number): readonly string[] {
  return told(rows, slots).flatMap(({ feature, distance, limit }) => (distance > limit ? [feature] : []))
}

function counted(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

function unevenness(values: readonly string[], cells: number): { distance: number; limit: number } {
  const counts = counted(values)
  const expected = values.length / cells
  const seen = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  return { distance: seen + (cells - counts.size) * expected, limit: chiSquareLimit(cells - 1) }
}

/** The chi-square of a table for each thing that is known anyhow, added up. */
function dependence(rows: readonly Shown[]): { distance: number; limit: number } {
  let distance = 0
  let degrees = 0
  for (const among of new Set(rows.map(row => row.among))) {
    const own = rows.filter(row => row.among === among)
    const often = counted(own.map(({ hidden }) => hidden))
    const kept = own.filter(({ hidden }) => often.get(hidden)! >= RARE)
    const values = counted(kept.map(({ value }) => value))
    const columnOf = ({ value }: Shown) => (values.get(value)! >= RARE ? value : 'rare')
    const columns = counted(kept.map(columnOf))
    const classes = counted(kept.map(({ hidden }) => hidden))
    const cells = counted(kept.map(row => `${row.hidden}|${columnOf(row)}`))
    for (const [hidden, inClass] of classes) {
      for (const [value, inColumn] of columns) {
        const expected = (inClass * inColumn) / kept.length
        distance += ((cells.get(`${hidden}|${value}`) ?? 0) - expected) ** 2 / expected
      }
    }
    degrees += Math.max(0, classes.size - 1) * Math.max(0, columns.size - 1)
  }
  return { distance, limit: chiSquareLimit(degrees) }
}
