// How many clauses cover each other by chance: boxes whose sides are drawn evenly between nothing and twice their mean, and lie anywhere.
//
// A side a holds a side b below it with chance (a - b) / (1 - b); over all a that is (L - b)² / 2L(1 - b), where L is the longest. A
// box is held by another where both of its sides are. Behind a link lie so many subscriptions: the k-th is announced over it unless one of
// the k - 1 before it holds it, and stays unless one of all others does.

import type { Overlaid } from './overlaid.ts'

/** Points of each side at which the chance is looked at. */
const GRID = 64

/** By k: the chance that none of k boxes holds one more. */
function unheld(longest: number, most: number): number[] {
  const held = Array.from({ length: GRID }, (_, at) => {
    const side = ((at + 0.5) / GRID) * longest
    return (longest - side) ** 2 / (2 * longest * (1 - side))
  })
  const chances = held.flatMap(one => held.map(other => 1 - one * other))
  const powers = chances.map(() => 1)
  return Array.from({ length: most + 1 }, () => {
    const mean = powers.reduce((sum, power) => sum + power, 0) / powers.length
    for (const [at, chance] of chances.entries()) powers[at]! *= chance
    return mean
  })
}

/** Subscriptions behind each link, in each direction. */
function behindLinks(overlaid: Overlaid, at: readonly number[]): number[] {
  const own = overlaid.names.map((_, place) => at.filter(broker => broker === place).length)
  const behind = (name: string, parent: string): number => {
    let count = own[overlaid.names.indexOf(name)]!
    for (const peer of overlaid.neighbours(name)) if (peer !== parent) count += behind(peer, name)
    return count
  }
  return overlaid.names.flatMap(name => overlaid.neighbours(name).map(peer => behind(name, peer)))
}

/** Announcements a subscription, and clauses a link, that chance leaves; subscriptions are at these brokers. */
export function byChance(overlaid: Overlaid, at: readonly number[], side: number) {
  const chances = unheld(2 * side, at.length)
  const links = behindLinks(overlaid, at)
  const sums = [0]
  for (const chance of chances) sums.push(sums.at(-1)! + chance)
  const announced = links.reduce((sum, count) => sum + sums[count]!, 0)
  const kept = links.reduce((sum, count) => sum + count * (chances[count - 1] ?? 0), 0)
  return { announcements: announced / at.length, clauses: kept / links.length }
}
