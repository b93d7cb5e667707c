// Adversaries of the assignment game that look at what the shuffles and the release token hide (OMA figures 6 and 7,
// lemma 9): the order of the tickets in the request token, the order of the entries in the release token, whether they
// are re-randomised, and what differs from lap to lap.

import { sameBytes } from '../../src/core/index.ts'
import type { Ciphertext, Group } from '../../src/crypto/index.ts'
import { type Adversary, from } from './adversaries.ts'
import type { Pass, View } from './view.ts'

/**
 * As if honest members took any ticket, but left the others in their order: which of the two assignments fits the
 * places at which the others found their tickets? The list must be known.
 */
export const ticketOrder: Adversary = {
  name: 'order of the tickets',
  guess(view) {
    const [one, other] = view.left
    const [straight, crossed] = [fits(view, one, other), fits(view, other, one)]
    if (straight === crossed) return undefined
    return straight ? one : other
  },
}

/** Whether the first of the two may have `mine`, and the second `theirs`. */
function fits(view: View, mine: number, theirs: number): boolean {
  const { honest, opened, kept } = view
  const has = new Map([...opened, [honest[0], mine], [honest[1], theirs]])
  let labels = view.firstList
  if (labels.includes(undefined)) return false
  for (const { by } of view.passes.slice(1)) {
    const turn = kept.get(by)
    const moved = turn?.permutation.map(place => labels[place]) ?? labels
    const taken = turn?.taken ?? moved.indexOf(has.get(by))
    if (taken < 0 || moved[taken] !== has.get(by)) return false
    labels = moved.filter((_, place) => place !== taken)
  }
  return true
}

/** Of the two, one has a slot and the other a dummy, and this one was seen to hold. */
function heldBy(view: View, position: number | undefined): number | undefined {
  const [low, high] = view.left
  if (position === undefined || low >= view.slots || high < view.slots) return undefined
  return from(view, position, low)
}

/** Who of the two held in the first lap, if just one did. */
function onlyHolder(view: View, isFree: (position: number) => boolean | undefined): number | undefined {
  const free = view.honest.map(isFree)
  if (free.includes(undefined) || free[0] === free[1]) return undefined
  return view.honest[free.indexOf(false)]
}

/** As if every member put its entry behind the others': a curious coordinator then reads off who holds. */
export const releaseOrder: Adversary = {
  name: 'order of the release token',
  guess(view) {
    const { laps, members, coordinator } = view
    const [first] = laps
    if (first === undefined || first.free.length !== members) return undefined
    const placeOf = (position: number) => (position - coordinator! + members) % members
    return heldBy(
      view,
      onlyHolder(view, position => first.free[placeOf(position)]),
    )
  },
}

const firstHalf = (list: readonly Ciphertext[], { c1 }: Ciphertext) => list.findIndex(entry => sameBytes(entry.c1, c1))

/** What a turn added: the one entry whose first half did not come in. Re-randomised, all of them are new. */
function added({ input, output }: Pass): Ciphertext | undefined {
  const fresh = output.filter(entry => firstHalf(input, entry) < 0)
  return fresh.length === 1 ? fresh[0] : undefined
}

/** First halves that outlive a turn: layers come off the second half only. The coordinator reads the last list. */
export const releaseCiphertexts: Adversary = {
  name: 'equal halves in the release token',
  silent: true,
  guess(view) {
    const { laps, releases, members } = view
    const [read, lap] = [laps[0], releases[0]]
    if (read === undefined || lap === undefined || read.free.length !== members) return undefined
    const own = lap.passes.map(added)
    if (own.includes(undefined)) return undefined
    const last = lap.passes.at(-1)!.output
    const whose = new Map(lap.passes.map(({ by }, place) => [by, firstHalf(last, own[place]!)]))
    return heldBy(
      view,
      onlyHolder(view, position => read.free[whose.get(position)!]),
    )
  },
}

/** How many entries of two laps have the same first half and differ by G in what is in them. */
function changed(group: Group, before: readonly Ciphertext[], after: readonly Ciphertext[]): number {
  return before.filter(entry => {
    const again = after[firstHalf(after, entry)]
    return again !== undefined && group.equal(group.subtract(again.c2, entry.c2), group.generator)
  }).length
}

/** Randomness that comes again in the next lap: who let go in between has changed an entry by G. No key is needed. */
export const lapDifferences: Adversary = {
  name: 'differences between laps',
  silent: true,
  guess(view) {
    const { releases, honest, group } = view
    for (const [place, { passes }] of releases.entries()) {
      const next = releases[place + 1]
      if (next === undefined) break
      const letGo = honest.filter(position => {
        const turn = passes.findIndex(({ by }) => by === position)
        const [now, then] = [passes[turn]!, next.passes[turn]!]
        return changed(group, now.output, then.output) > changed(group, now.input, then.input)
      })
      if (letGo.length === 1) return heldBy(view, letGo[0])
    }
    return undefined
  },
}
