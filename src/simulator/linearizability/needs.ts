// What the hints of a model say about a whole history: who needs which state, who can bring it about, and the plain
// case of a read that is too old for any order, found without a search. A search must go through all that could be
// before it can say no, and where twenty clients write to one key that is a great deal.

import { type Entry, returnOf, type Whole } from './model.ts'

/** Who needs which state, and who can bring it about, each in order of return. */
export interface Needs<Call, Result> {
  readonly requiring: ReadonlyMap<string, readonly Entry<Call, Result>[]>
  readonly restoring: ReadonlyMap<string, readonly Entry<Call, Result>[]>
  /** May lead to any state. */
  readonly anywhere: readonly Entry<Call, Result>[]
  /** Certainly left the object in one state. */
  readonly setting: readonly Entry<Call, Result>[]
}

export function needsOf<State, Call, Result>(
  model: Whole<State, Call, Result>,
  entries: readonly Entry<Call, Result>[],
): Needs<Call, Result> {
  const requiring = new Map<string, Entry<Call, Result>[]>()
  const restoring = new Map<string, Entry<Call, Result>[]>()
  const anywhere: Entry<Call, Result>[] = []
  const setting: Entry<Call, Result>[] = []
  const add = (to: Map<string, Entry<Call, Result>[]>, state: State, entry: Entry<Call, Result>) => {
    const print = model.fingerprint(state)
    to.set(print, [...(to.get(print) ?? []), entry])
  }
  for (const entry of [...entries].sort((a, b) => returnOf(a) - returnOf(b))) {
    const { call, outcome } = entry.operation
    const hint = model.hint(call, outcome.kind === 'returned' ? outcome.result : undefined)
    if (hint?.from !== undefined && outcome.kind === 'returned') add(requiring, hint.from, entry)
    if (hint?.sets && outcome.kind === 'returned') setting.push(entry)
    if (entry.reads) continue
    if (hint?.to === undefined) anywhere.push(entry)
    else add(restoring, hint.to, entry)
  }
  return { requiring, restoring, anywhere, setting }
}

/**
 * Somebody saw a state that was overwritten for certain: all who could bring it about had returned before somebody else
 * set another, and that one had returned before the call. Or nobody could bring it about at all.
 */
export function outlived<State, Call, Result>(
  model: Whole<State, Call, Result>,
  entries: readonly Entry<Call, Result>[],
  { requiring, restoring, anywhere, setting }: Needs<Call, Result>,
): boolean {
  if (anywhere.length > 0 || entries.length === 0) return false
  // By return; beside each, the latest call of any that returned no later.
  let latest = Number.NEGATIVE_INFINITY
  const set = setting.map(entry => {
    latest = Math.max(latest, entry.operation.calledAt)
    return { returned: returnOf(entry), latest }
  })
  const initial = model.fingerprint(model.initial)
  for (const [print, readers] of requiring) {
    const sources = restoring.get(print) ?? []
    for (const reader of readers) {
      const able = sources.filter(({ operation }) => operation.calledAt <= returnOf(reader))
      if (able.length === 0 && print !== initial) return true
      const last = able.reduce((most, source) => Math.max(most, returnOf(source)), Number.NEGATIVE_INFINITY)
      const before = set.findLast(({ returned }) => returned < reader.operation.calledAt)
      if (before !== undefined && before.latest > last) return true
    }
  }
  return false
}
