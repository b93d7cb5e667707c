// Metrics in a registry: the server's own, or one that a program has for everything it measures. A registry of
// prom-client is all that is asked for, so that a program that hands none in loads no library for it.
//
// Several groups of one process may share a registry: a metric is one family there, and each group a source of numbers
// with its own label. What a group has counted stays counted after it is closed.

import { SettingsError } from '../../core/index.ts'
import type { Definitions } from './names.ts'
import { type Sample, Tally } from './tally.ts'

/** What is needed of a registry; prom-client's `Registry` has it. */
export interface MetricsRegistry {
  registerMetric(metric: never): void
  getSingleMetric(name: string): unknown
}

/** Sets of labels of one metric. */
const LABELS_MAX = 1_000

type Type = 'counter' | 'gauge' | 'histogram'
type Source = () => readonly Sample[]

/** As a registry keeps metrics. */
class Family {
  readonly name: string
  readonly help: string
  readonly type: Type
  readonly aggregator = 'sum'
  readonly sources = new Set<Source>()
  /** Of those that are closed. */
  private past: readonly Sample[] = []

  constructor(name: string, help: string, type: Type) {
    this.name = name
    this.help = help
    this.type = type
  }

  async get() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: added([...this.past, ...[...this.sources].flatMap(one => one())]) }
  }

  retire(source: Source): void {
    if (!this.sources.delete(source) || this.type === 'gauge') return
    this.past = added([...this.past, ...source()])
  }

  /** A registry may ask for it. What was counted by machines cannot be undone. */
  reset(): void {}
}

/** Numbers of one name and the same labels are one number. */
function added(samples: readonly Sample[]): Sample[] {
  const sums = new Map<string, Sample>()
  for (const sample of samples) {
    const key = JSON.stringify([sample.metricName, sample.labels])
    const before = sums.get(key)
    sums.set(key, before === undefined ? sample : { ...sample, value: before.value + sample.value })
  }
  return [...sums.values()]
}

function familyIn(registry: MetricsRegistry, name: string, help: string, type: Type): Family {
  const known = registry.getSingleMetric(name)
  if (known instanceof Family) return known
  if (known !== undefined) throw new SettingsError(`the registry has another metric that is called ${name}.`)
  const family = new Family(name, help, type)
  registry.registerMetric(family as never)
  return family
}

/** The metrics of one node. Each of its definitions is given a source, once. */
export class Book<D extends Definitions> {
  private readonly families = new Map<string, Family>()
  private readonly tallies = new Map<string, Tally>()
  private readonly counts = new Map<string, number>()
  /** By the name of a metric, then by its labels. */
  private readonly labelled = new Map<string, Map<string, Sample>>()
  private readonly labels: Readonly<Record<string, string>>
  private readonly opened: { readonly family: Family; readonly source: Source }[] = []

  constructor(registry: MetricsRegistry, definitions: D, labels: Readonly<Record<string, string>> = {}) {
    if (typeof registry?.registerMetric !== 'function' || typeof registry.getSingleMetric !== 'function') {
      throw new SettingsError('metrics.registry is no registry: give a Registry of prom-client.')
    }
    this.labels = labels
    for (const [name, { type, help }] of Object.entries(definitions)) {
      this.families.set(name, familyIn(registry, `coterie_${name}`, help, type))
      if (type === 'histogram') this.tally(name)
      else this.source(name, () => this.counts.get(name) ?? 0)
      if (type === 'counter') this.open(name, () => [...(this.labelled.get(name)?.values() ?? [])])
    }
  }

  /** The value is asked for when somebody looks. */
  reads(name: keyof D & string, value: () => number): void {
    this.forget(name)
    this.source(name, value)
  }

  add(name: keyof D & string, more = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + more)
  }

  /** One more, of somebody whom the labels name. Others choose such names: only so many are kept, the rest is added to no label. */
  addOf(name: keyof D & string, labels: Readonly<Record<string, string>>): void {
    const samples = this.labelled.get(name) ?? new Map<string, Sample>()
    this.labelled.set(name, samples)
    const key = JSON.stringify(labels)
    if (!samples.has(key) && samples.size >= LABELS_MAX) return this.add(name)
    const value = (samples.get(key)?.value ?? 0) + 1
    samples.set(key, { labels: { ...this.labels, ...labels }, value })
  }

  /** As many numbers as there are labels, asked for when somebody looks. */
  readsOf(name: keyof D & string, values: () => readonly Sample[]): void {
    this.forget(name)
    this.open(name, () => values().map(sample => ({ ...sample, labels: { ...this.labels, ...sample.labels } })))
  }

  /** Nothing where it was not measured. */
  observe(name: keyof D & string, seconds: number | undefined): void {
    if (seconds !== undefined) this.tallies.get(name)!.observe(seconds)
  }

  close(): void {
    for (const { family, source } of this.opened.splice(0)) family.retire(source)
  }

  private tally(name: string): void {
    const tally = new Tally()
    this.tallies.set(name, tally)
    this.open(name, () =>
      tally.samples(`coterie_${name}`).map(sample => ({ ...sample, labels: { ...this.labels, ...sample.labels } })),
    )
  }

  private source(name: string, value: () => number): void {
    this.open(name, () => [{ labels: this.labels, value: value() }])
  }

  private open(name: string, source: Source): void {
    const family = this.families.get(name)!
    family.sources.add(source)
    this.opened.push({ family, source })
  }

  private forget(name: string): void {
    const family = this.families.get(name)!
    for (const one of this.opened) if (one.family === family) family.sources.delete(one.source)
  }
}
