// One stage under siege: honest running, a lie as it is, the same lie as often as it may be said, and honest running again,
// lie after lie; between two lies somebody is killed now and then, stands still or is cut off while the liar lies, and nothing is
// measured then. A lie that misses a goal is told once more, for longer, in turns with honest running: what counts is what repeats.

import { setTimeout as sleep } from 'node:timers/promises'
import { isAnswered, isOfBeginnings, isProvable, PER_SECOND, type ToldLie, waysOf } from './lies.ts'
import { lengthOf, type Watched } from './operations.ts'
import { millis, one, type Role, type Stage } from './stage.ts'
import { busier, costOf, GOALS, growth, isUnwell, judged, type Measured, missed, type Row } from './verdict.ts'

export interface CampaignOptions {
  readonly make: () => Stage
  readonly lies: readonly ToldLie[]
  /** Until no new lie is begun. */
  readonly budgetMs: number
  /** How long a lie is told at each rate, and honest running is looked at in between. */
  readonly windowMs: number
  /** How long to wait, after each lie, until all is well; in a short siege less than the goal, which is then not judged. */
  readonly patienceMs: number
  /** How long a lie that proves itself goes on, beyond that, until somebody names the liar. */
  readonly namingMs: number
  /** On a busy machine it goes on until so many were told. */
  readonly liesMin: number
  readonly progress: (line: string) => void
  readonly isOver: () => boolean
}

export interface CampaignResult {
  readonly rows: readonly Row[]
  readonly problems: readonly string[]
  readonly faults: number
}

/** All that was seen while it was told at one rate. */
interface ToldRate {
  readonly perSecond: number
  readonly lying: Watched[]
  clientMemory: number | undefined
  serverMemory: number | undefined
}

type Sizes = Readonly<Record<Role, Map<string, number>>>

/** How a lie is told: how often a second besides, for how long each, in how many turns, and what sizes are compared with. */
interface Telling {
  readonly rates: readonly number[]
  readonly windowMs: number
  /** More than one: in turns with honest running. */
  readonly rounds: number
  readonly base: Sizes
}

/** A lie that was told, and what was before. */
interface Told {
  readonly lie: ToldLie
  readonly told: readonly ToldRate[]
  /** For how long, in all. */
  readonly toldMs: number
  readonly honest: readonly Watched[]
  readonly before: { readonly named: number; readonly repeated: number }
}

const ROLES: readonly Role[] = ['client', 'server']
const LOOK_MS = 250
const WARM_MS = 60_000
/** A siege on a busy machine takes at most so many times as long. */
const LATE_MAX = 4
/** Lies between two faults, and how long a fault lasts. */
const FAULT_EVERY = 3
const FAULT_MS = 1_200
/** A server that was killed waits for old leases, a member for the next epoch: so much longer than for a lie. */
const HEALED_TIMES = 3
/** Stretches of honest running that a lie is compared with. */
const HONEST_KEPT = 3
const RENEWALS_MAX = 4
const PROGRESS_MS = 1_000
/** A second look takes at least this long, and twice as long as the first: enough for a p99 of what is done often. */
const AGAIN_MIN_MS = 2_000
const AGAIN_TIMES = 2
/** Turns of a second look. Of members' work too little is done in a part of a stretch: theirs is one. */
const ROUNDS: Readonly<Record<Stage['role'], number>> = { server: 3, member: 1 }

export async function besiege(options: CampaignOptions): Promise<CampaignResult> {
  const siege = new Siege(options)
  try {
    await siege.run()
  } finally {
    await siege.close()
  }
  return siege
}

class Siege implements CampaignResult {
  readonly rows: Row[] = []
  readonly problems: string[] = []
  faults = 0
  private readonly options: CampaignOptions
  private stage: Stage
  private honest: Watched[] = []
  /** The most that each process had while nobody lied. */
  private readonly base: Sizes = { server: new Map(), client: new Map() }
  private peak: Sizes = { server: new Map(), client: new Map() }
  private renewals = 0
  private isSpoiled = false
  /** The lie before. */
  private earlier: ToldLie | undefined
  private end = 0

  constructor(options: CampaignOptions) {
    this.options = options
    this.stage = options.make()
  }

  async run(): Promise<void> {
    await this.open()
    this.end = millis() + this.options.budgetMs
    for (const [place, lie] of this.options.lies.entries()) {
      if (this.isEnough(place)) break
      await this.judge(lie)
      this.earlier = lie
      if (!this.isSpoiled && place % FAULT_EVERY === FAULT_EVERY - 1) await this.harm(lie)
      if (this.isSpoiled && !(await this.renew())) break
    }
    if (this.options.isOver()) return
    await this.settle()
    this.problems.push(...(await this.stage.judge()))
  }

  private isEnough(told: number): boolean {
    const late = millis() - this.end
    if (this.options.isOver() || late > (LATE_MAX - 1) * this.options.budgetMs) return true
    return late > 0 && told >= this.options.liesMin
  }

  /** The last lie is long gone: all is well, or the rows say that it is not. */
  private async settle(): Promise<void> {
    const last = this.rows.at(-1)
    if (last === undefined || last.wellAfter !== undefined) return
    last.wellAfter = await this.untilWell(GOALS.wellMs)
    last.waited = GOALS.wellMs
    if (!isUnwell(last)) return
    last.misses.push(...missed(last).filter(goal => !last.misses.includes(goal) && !last.once.includes(goal)))
    this.options.progress(`${this.stage.name}: not well at the end`)
  }

  /** Milliseconds from now, or undefined. */
  private async untilWell(patience: number): Promise<number | undefined> {
    const gone = millis()
    do {
      await sleep(LOOK_MS)
      if (this.goesOn(gone) && this.isSmall()) return Math.round(millis() - gone)
    } while (millis() - gone < patience && !this.options.isOver())
    this.isSpoiled = patience >= GOALS.wellMs && !this.goesOn(gone)
    return undefined
  }

  async close(): Promise<void> {
    await this.stage.close()
  }

  private async open(): Promise<void> {
    this.options.progress(`${this.stage.name}: starts`)
    await this.stage.start()
    const { operations } = this.stage
    const end = millis() + WARM_MS
    const { kinds } = this.stage
    await sleep(2 * this.options.windowMs)
    while (operations.kinds().length < kinds && millis() < end && !this.options.isOver()) await sleep(LOOK_MS)
    this.honest = []
    await this.lookAtHonest()
  }

  /** Tells it at both rates; what misses a goal is looked at again, for longer, and against the same sizes as before. */
  private async judge(lie: ToldLie): Promise<void> {
    const { windowMs } = this.options
    const base = { server: new Map(this.base.server), client: new Map(this.base.client) }
    const first = await this.measure(lie, { rates: [0, PER_SECOND[lie.part]], windowMs, rounds: 1, base })
    const rates = first.filter(one => missed(one).length > 0 && !isUnwell(one)).map(one => one.perSecond)
    const isEnough = rates.length === 0 || this.isSpoiled || this.options.isOver()
    const rounds = ROUNDS[this.stage.role]
    const longer = Math.max(AGAIN_MIN_MS, AGAIN_TIMES * windowMs) / rounds
    const again = isEnough ? [] : await this.measure(lie, { rates, windowMs: longer, rounds, base })
    for (const one of first) {
      this.rows.push(
        judged(
          one,
          again.find(({ perSecond }) => perSecond === one.perSecond),
        ),
      )
    }
  }

  private async measure(lie: ToldLie, telling: Telling): Promise<Measured[]> {
    return this.leave(await this.tell(lie, telling))
  }

  private async tell(lie: ToldLie, { rates, windowMs, rounds, base }: Telling): Promise<Told> {
    // What is said only when something begins must be told when it begins.
    if (isOfBeginnings(lie.part, lie.lie)) this.stage.tell({ ...lie, perSecond: 0 })
    const named = this.stage.named()
    await this.stage.prepare(lie.part, this.options.patienceMs)
    const { repeated } = this.stage
    const told = rates.map(
      (perSecond): ToldRate => ({ perSecond, lying: [], clientMemory: undefined, serverMemory: undefined }),
    )
    const honest = rounds > 1 ? [] : [...this.honest]
    for (let round = 0; round < rounds; round++) {
      if (rounds > 1) honest.push(await this.inBetween(windowMs))
      for (const one of told) {
        this.stage.tell({ ...lie, perSecond: one.perSecond })
        one.lying.push(await this.watch(windowMs))
        one.clientMemory = larger(one.clientMemory, growth(base.client, this.peak.client))
        one.serverMemory = larger(one.serverMemory, growth(base.server, this.peak.server))
      }
    }
    const last = millis()
    await this.untilNamed(lie, named)
    const toldMs = lengthOf(told.flatMap(({ lying }) => lying)) + millis() - last
    return { lie, told, toldMs, honest, before: { named, repeated } }
  }

  /** The liar is honest for as long as it lies, a moment after its last lie. */
  private async inBetween(windowMs: number): Promise<Watched> {
    this.stage.tell(undefined)
    await sleep(LOOK_MS)
    return this.watch(windowMs)
  }

  /** Clients that catch a liar must meet first, and members be suspected and heard: that may take longer than a window. */
  private async untilNamed(lie: ToldLie, before: number): Promise<void> {
    const from = millis()
    const wants = isProvable(lie.part, lie.lie, Number.POSITIVE_INFINITY)
    while (wants && millis() - from < this.options.namingMs && !this.options.isOver()) {
      await this.stage.ask()
      if (this.isNamed(lie, before)) return
      await sleep(LOOK_MS)
    }
  }

  private isNamed(lie: ToldLie, before: number): boolean {
    if (isAnswered(lie, this.earlier, this.stage.saidSince(before))) return true
    return waysOf(lie).some(way => this.stage.wasNamedFor(way))
  }

  /** The liar turns honest, and all is to be well again. Only then is it known how long what it held up has taken. */
  private async leave({ lie, told, toldMs, honest, before }: Told): Promise<Measured[]> {
    this.stage.tell(undefined)
    const wellAfter = await this.untilWell(this.options.patienceMs)
    await sleep(LOOK_MS)
    await this.stage.ask()
    // What stays of one lie is not charged to the next.
    if (wellAfter === undefined && !this.isSpoiled) {
      for (const role of ROLES) merge(this.base[role], this.stage.memory(role))
    }
    const after = this.isSpoiled ? [] : [await this.lookAtHonest()]
    const { operations, name: stage } = this.stage
    return told.map(({ lying, ...measured }) => {
      const row: Measured = {
        stage,
        ...lie,
        ...measured,
        ...costOf(operations, lying, [...honest, ...after]),
        processor: busier(lying, [...honest, ...after]),
        provable: isProvable(lie.part, lie.lie, toldMs),
        named: this.isNamed(lie, before.named),
        repeated: measured.perSecond === 0 ? 0 : this.stage.repeated - before.repeated,
        wellAfter,
        waited: this.options.patienceMs,
      }
      this.options.progress(`${row.stage}: ${row.part}/${row.lie} ${row.perSecond}/s: ${summary(row)}`)
      return row
    })
  }

  /** Every kind of work is done again. */
  private goesOn(gone: number): boolean {
    const now = millis()
    const { operations } = this.stage
    return operations.kinds().every(kind => {
      const honest = operations.figures(kind, this.honest).perSecond
      // Of what is seldom done even in honest running, once is enough.
      const span = Math.max(PROGRESS_MS, honest === 0 ? 0 : 2_000 / honest)
      const from = Math.max(gone, now - span)
      const { count } = operations.figures(kind, [{ from, until: now }])
      return count >= Math.max(1, (GOALS.throughputMin * honest * (now - from)) / 1_000)
    })
  }

  private isSmall(): boolean {
    return ROLES.every(role => (growth(this.base[role], this.stage.memory(role)) ?? 0) <= GOALS.memoryMax)
  }

  private async lookAtHonest(): Promise<Watched> {
    const span = await this.watch(this.options.windowMs)
    this.honest = [...this.honest, span].slice(-HONEST_KEPT)
    for (const role of ROLES) merge(this.base[role], this.peak[role])
    return span
  }

  private async watch(lasts: number): Promise<Watched> {
    this.peak = { server: new Map(), client: new Map() }
    const before = this.stage.processor()
    const from = millis()
    while (millis() - from < lasts && !this.options.isOver()) {
      await sleep(Math.min(LOOK_MS, lasts))
      for (const role of ROLES) merge(this.peak[role], this.stage.memory(role))
    }
    const until = millis()
    return { from, until, shares: sharesOf(before, this.stage.processor(), until - from) }
  }

  /** A fault while it lies: nothing is measured, and promises hold. */
  private async harm(lie: ToldLie): Promise<void> {
    const { name, harm } = one(this.stage.faults)
    this.options.progress(`${this.stage.name}: ${name}, while it lies: ${lie.part}/${lie.lie}`)
    this.faults++
    this.stage.tell({ ...lie, perSecond: 0 })
    const over = await harm()
    await sleep(FAULT_MS)
    await over()
    this.stage.tell(undefined)
    const gone = millis()
    while (!this.goesOn(gone) && millis() - gone < this.options.patienceMs * HEALED_TIMES && !this.options.isOver())
      await sleep(LOOK_MS)
    this.isSpoiled = this.options.patienceMs >= GOALS.wellMs && !this.goesOn(gone)
    this.end += millis() - gone
    await this.lookAtHonest()
  }

  /** What a lie has spoiled for good must not be charged to the next one: the same again, from nothing. */
  private async renew(): Promise<boolean> {
    if (++this.renewals > RENEWALS_MAX) return false
    const began = millis()
    this.options.progress(`${this.stage.name}: not well, made anew`)
    this.problems.push(...(await this.stage.judge()))
    await this.stage.close()
    this.stage = this.options.make()
    await this.open()
    // Lies are told for as long as was asked for.
    this.end += millis() - began
    return true
  }
}

function merge(into: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [name, bytes] of from) into.set(name, Math.max(bytes, into.get(name) ?? 0))
}

function sharesOf(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, ms: number) {
  const shares = [...after].flatMap(([name, used]) => {
    const had = before.get(name)
    return had === undefined ? [] : [[name, (used - had) / ms] as const]
  })
  return new Map(shares)
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}

const times = (ratio: number | undefined) => (ratio === undefined ? '?' : ratio.toFixed(2))

function summary(row: Measured): string {
  const { throughput, p99, clientMemory, serverMemory, processor, named, wellAfter, waited } = row
  const servers = serverMemory === undefined ? '' : `, of servers ${times(serverMemory)}`
  const memory = `memory ${times(clientMemory)}${servers}`
  const after = wellAfter === undefined ? `not well after ${waited} ms` : `well after ${wellAfter} ms`
  const speed = `throughput ${times(throughput)} (${row.suffered}), p99 ${times(p99)} (${row.slowest})`
  const goals = missed(row)
  const misses = goals.length === 0 ? '' : `; misses ${goals.join(', ')}`
  const busy = processor === undefined ? '' : `, ${(processor * 100).toFixed(0)} % of a core more`
  return `${speed}, ${memory}${busy}, ${named ? 'named' : 'not named'}, ${after}${misses}`
}
