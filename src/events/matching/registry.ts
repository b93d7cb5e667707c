// The attributes, keys, gates and shapes that there are; each lives as long as something uses it.

import type { Clause } from '../canonical.ts'
import { Attribute, Gate, KeySpace } from './attribute.ts'
import { barePlan, type GateSpec, type KeySpec, type Plan, planOf } from './plan.ts'
import { Shape } from './shape.ts'
import type { Asked } from './visit.ts'

/**
 * Shapes that are asked for one attribute. Each costs an event about a tenth of a microsecond, and a client could make one
 * for every length of a prefix; beyond it clauses are looked up by fewer keys.
 */
export const SHAPES_MAX = 1024

/** A plan, and the shape that it fits. */
export interface Placed {
  readonly plan: Plan
  readonly shape: Shape
}

/** With its length before it, no name runs into what follows. */
const counted = (name: string) => `${name.length}:${name}`
const specText = ({ attribute, kind, size }: KeySpec) => `${kind} ${size} ${counted(attribute)}`
const gateText = ({ attribute, pattern: { dialect, levels, least, open, plain } }: GateSpec) =>
  `${dialect} ${least} ${open ? '' : levels.length} ${plain} ${counted(attribute)}`

export class Registry {
  readonly attributes = new Map<string, Attribute>()
  /** Names of subscriptions by their number, as the index gives them. */
  private readonly names: readonly unknown[]
  /** Shapes for which nothing must be there. */
  readonly always: Asked[] = []
  private readonly spaces = new Map<string, KeySpace>()
  private readonly gates = new Map<string, Gate>()
  private readonly shapes = new Map<string, Shape>()

  constructor(names: readonly unknown[]) {
    this.names = names
  }

  /**
   * The shape for a clause: its best one, or where there are too many already, one with fewer keys. Clauses that are one of
   * several (`repeated`) have shapes apart: only there it must be looked whether a subscription was hit before.
   */
  placed(clause: Clause, entriesMax: number, repeated: boolean): Placed {
    const expanded = planOf(clause, true)
    const best = (expanded.several?.values.length ?? 1) <= entriesMax ? expanded : planOf(clause, false)
    for (const planned of [() => best, () => plainPlan(best, clause), () => barePlan(clause)]) {
      const plan = planned()
      const signature = `${repeated ? 'repeated ' : ''}${signatureOf(plan)}`
      const known = this.shapes.get(signature)
      if (known !== undefined) return { plan, shape: known }
      if (this.hasRoom(plan) || plan.tests === clause) return { plan, shape: this.make(plan, signature, repeated) }
    }
    throw new RangeError('a bare plan always has a shape')
  }

  private hasRoom(plan: Plan): boolean {
    const names = requiredOf(plan)
    if (names.length === 0) return this.always.length < SHAPES_MAX
    return names.some(name => (this.attributes.get(name)?.homed ?? 0) < SHAPES_MAX)
  }

  private make(plan: Plan, signature: string, repeated: boolean): Shape {
    const many = (names: readonly string[]) => names.map(name => this.attribute(name))
    const shape = new Shape(signature, {
      keys: keySpecs(plan).map(spec => this.space(spec)),
      gates: plan.gates.map(spec => this.gate(spec)),
      ranges: many(plan.ranges.map(range => range.attribute)),
      required: many(requiredOf(plan)),
      absent: many(plan.absent),
      tested: plan.tests.length > 0,
      repeated,
      names: this.names,
      vetoed: many([...new Set(plan.vetoes.map(predicate => predicate.attribute))]),
    })
    for (const used of usedBy(shape)) used.uses++
    this.settle(shape)
    this.shapes.set(signature, shape)
    return shape
  }

  /** Where it is asked: behind its gate, or at the attribute that has the fewest shapes. */
  private settle(shape: Shape): void {
    const { home } = shape
    if (home === undefined) this.always.push(shape)
    else home.homed++
    const [gate] = shape.parts.gates
    if (gate !== undefined) gate.shapes.push(shape)
    else home?.shapes.push(shape)
  }

  /** Forgets a shape without entries, and what only it used. */
  forget(shape: Shape): void {
    this.shapes.delete(shape.signature)
    const { home } = shape
    if (home !== undefined) home.homed--
    const [gate] = shape.parts.gates
    without(gate?.shapes ?? home?.shapes ?? this.always, shape)
    for (const used of usedBy(shape)) used.uses--
    for (const used of usedBy(shape)) {
      if (used.uses > 0) continue
      if (used instanceof Attribute) this.attributes.delete(used.name)
      else if (used instanceof KeySpace) this.spaces.delete(specText(used.spec))
      else {
        this.gates.delete(gateText({ attribute: used.attribute.name, pattern: used.pattern }))
        without(used.attribute.shapes, used)
      }
    }
  }

  private attribute(name: string): Attribute {
    return found(this.attributes, name, () => new Attribute(name))
  }

  private space(spec: KeySpec): KeySpace {
    return found(this.spaces, specText(spec), () => new KeySpace(this.attribute(spec.attribute), spec))
  }

  private gate(spec: GateSpec): Gate {
    return found(this.gates, gateText(spec), () => {
      const gate = new Gate(this.attribute(spec.attribute), spec.pattern)
      gate.attribute.shapes.push(gate)
      return gate
    })
  }
}

function found<T>(map: Map<string, T>, name: string, make: () => T): T {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

function without<T>(list: T[], item: T): void {
  const place = list.indexOf(item)
  if (place >= 0) list.splice(place, 1)
}

/** Each once: a shape with one gate twice that let it go twice took its neighbour with it. */
function usedBy({ parts }: Shape): Set<Attribute | KeySpace | Gate> {
  return new Set([...parts.keys, ...parts.gates, ...parts.required, ...parts.absent, ...parts.vetoed])
}

/** All keys of a plan, the one with several values last. */
export function keySpecs({ keys, several }: Plan): readonly KeySpec[] {
  return [...keys.map(({ spec }) => spec), ...(several === undefined ? [] : [several.spec])]
}

function requiredOf(plan: Plan): string[] {
  return [...new Set([...plan.present])]
}

function signatureOf(plan: Plan): string {
  let text = ''
  for (const spec of keySpecs(plan)) text += `key ${specText(spec)}`
  for (const gate of plan.gates) text += `gate ${gateText(gate)}`
  for (const { attribute } of plan.ranges) text += `range ${counted(attribute)}`
  for (const attribute of plan.present) text += `present ${counted(attribute)}`
  for (const attribute of plan.absent) text += `absent ${counted(attribute)}`
  for (const { attribute } of plan.vetoes) text += `veto ${counted(attribute)}`
  // Apart, so that where nothing is tested nothing is looked at.
  return plan.tests.length > 0 ? `${text}tested` : text
}

/** Without keys that are parts of values: those are what makes many shapes. */
function plainPlan(plan: Plan, clause: Clause): Plan {
  const keys = plan.keys.filter(({ spec }) => spec.kind === 'value')
  return { ...plan, keys, gates: [], listTests: [], tests: clause.filter(one => !plan.vetoes.includes(one)) }
}
