// Error rates of the queuing construction (THESIS §4.5) over tables with one cell per row. L subfilters of c elements
// each; an element is looked up in all of them, inserted in the newest.
//
// Theorems 4.5.2 and 4.5.4 treat the subfilters as independent and weigh each by the chance to hold the element. But the
// last occurrence is in exactly one of them, and all share one hash, so the strangers that could pose as the element are
// the same in all. Following one element e*: J others of the alphabet share its row and fingerprint, K only its row.
// A subfilter after x insertions without e* shows a row that was hit with chance q(x) = 1 - (1 - (J+K)/|Γ|)^x, by a
// false twin with J/(J+K). e* is missed if its own subfilter lost it and all others show no twin. Sums over the age η of the
// newest subfilter and over the gap to the last occurrence are geometric, so they are closed; J and K are averaged.

import { geometricSum, meanGeometricSum, poisson, powerOfRest } from './numeric.ts'
import { checkWhole, parameterError } from './refusal.ts'
import type { ErrorRates } from './shapes.ts'

/** How a queue of subfilters is laid out. */
export interface QueueShape {
  /** L. */
  readonly subfilters: number
  /** N: rows of each subfilter. */
  readonly rows: number
  /** S. */
  readonly fingerprints: number
  /** w; each subfilter takes c = ⌈w/L⌉ elements. */
  readonly window: number
  /** |Γ|; a large one when left out. */
  readonly alphabet?: number
}

/** Beyond this many elements of the alphabet per row their number no longer matters, and the average is left out. */
const ROW_CROWD = 600

/** Large enough that chance repeats do not show, small enough that differences keep ten digits. */
function alphabetOf({ alphabet, window, rows }: QueueShape): number {
  return alphabet ?? Math.max(2 ** 20 * window, 100 * ROW_CROWD * rows)
}

/** FPR and FNR in the steady state on a uniform stream. */
export function queuingRates(shape: QueueShape): ErrorRates {
  checkQueue(shape)
  const alphabet = alphabetOf(shape)
  const crowd = alphabet / shape.rows
  if (crowd > ROW_CROWD) return ratesWith(shape, alphabet, crowd / shape.fingerprints, crowd)
  const twins = poisson(crowd / shape.fingerprints)
  const others = poisson(crowd * (1 - 1 / shape.fingerprints))
  let falsePositive = 0
  let falseNegative = 0
  for (const [i, chanceOfTwins] of twins.chances.entries()) {
    for (const [j, chanceOfOthers] of others.chances.entries()) {
      const weight = chanceOfTwins * chanceOfOthers
      if (weight < 1e-13) continue
      const rates = ratesWith(shape, alphabet, twins.first + i, twins.first + i + others.first + j)
      falsePositive += weight * rates.falsePositive
      falseNegative += weight * rates.falseNegative
    }
  }
  return { falsePositive, falseNegative }
}

/** The rates for an element with J = twins and J + K = neighbours, averaged over all ages η of the newest subfilter. */
function ratesWith(shape: QueueShape, alphabet: number, twins: number, neighbours: number): ErrorRates {
  const { subfilters: L, window: w } = shape
  const c = Math.ceil(w / L)
  const twin = neighbours > 0 ? twins / neighbours : 0
  const other = neighbours > 0 ? 1 - twin : 0
  const g = 1 - 1 / alphabet
  const still = Math.max(0, 1 - neighbours / alphabet)
  const power = (y: number) => powerOfRest(1 / alphabet, y)
  const meanOf = (z: number) => geometricSum(z, c) / c

  // F: a full subfilter without e* shows no twin. P_x: e* came last within the newest x and was overwritten since.
  const quiet = 1 - twin * (1 - powerOfRest(neighbours / alphabet, c))
  const lostWithin = (x: number) => (other / alphabet) * (geometricSum(g, x) - geometricSum(g * still, x))
  const lostInFull = lostWithin(c)
  const meanLostInNewest = (other / alphabet) * (meanGeometricSum(g, c) - meanGeometricSum(g * still, c))
  const meanQuietNewest = 1 - twin + twin * meanOf(still)
  const meanAgedQuiet = (1 - twin) * meanOf(g) + twin * meanOf(g * still)

  // Behind e*'s own subfilter, older ones may hold earlier occurrences of it, also lost, or nothing of it. Over the
  // subfilter j of the last occurrence, Σ_j (g^c F)^(j-1) · P_c · silent^(L-1-j) telescopes, since silent - g^c F = P_c.
  const absent = power(c) * quiet
  const silent = lostInFull + absent
  let missed = meanLostInNewest * silent ** (L - 1)
  missed += meanAgedQuiet * (silent ** (L - 1) - absent ** (L - 1))
  missed += forgotten(shape, c, g, still, twin) * quiet ** (L - 1)
  const falseNegative = missed / -Math.expm1(w * Math.log1p(-1 / alphabet))
  return { falsePositive: 1 - meanQuietNewest * quiet ** (L - 1), falseNegative }
}

/** e* is in the window, but its subfilter was dropped: mean over η of max(0, g^(η+(L-1)c) - g^w) · F₀. */
function forgotten(
  { subfilters: L, window: w }: QueueShape,
  c: number,
  g: number,
  still: number,
  twin: number,
): number {
  const ages = Math.min(c, w - (L - 1) * c + 1)
  if (ages <= 0) return 0
  const held = g ** ((L - 1) * c)
  const aged = (1 - twin) * geometricSum(g, ages) + twin * geometricSum(g * still, ages)
  const plain = (1 - twin) * ages + twin * geometricSum(still, ages)
  return Math.max(0, (held * aged - g ** w * plain) / c)
}

/** Theorems 4.5.3 and 4.5.4 as printed: subfilters independent. The false negatives are far too high; shown in the lab. */
export function thesisQueuingRates(shape: QueueShape): ErrorRates {
  checkQueue(shape)
  const { subfilters: L, rows, fingerprints: S, window: w } = shape
  const alphabet = alphabetOf(shape)
  const c = Math.ceil(w / L)
  const inWindow = -Math.expm1(w * Math.log1p(-1 / alphabet))
  const falsePositive = (x: number) => (1 - powerOfRest(1 / rows, x)) / S
  const silent = (x: number) => {
    if (x === 0) return 1
    const within = -Math.expm1(x * Math.log1p(-1 / alphabet))
    const g = 1 - 1 / alphabet
    const lost = ((1 - 1 / S) / alphabet) * (geometricSum(g, x) - geometricSum(g * (1 - 1 / rows), x))
    return lost / inWindow + (1 - within / inWindow) * (1 - falsePositive(x))
  }
  const ages = Math.min(c, 4096)
  let quiet = 0
  let missed = 0
  for (let index = 0; index < ages; index++) {
    const age = ages === c ? index : ((index + 0.5) * c) / ages
    quiet += 1 - falsePositive(age)
    missed += silent(age)
  }
  return {
    falsePositive: 1 - ((1 - falsePositive(c)) ** (L - 1) * quiet) / ages,
    falseNegative: (silent(c) ** (L - 1) * missed) / ages,
  }
}

/** What a queue of subfilters is planned for: memory, fingerprints and window. */
export interface QueueMemory {
  readonly bits: number
  readonly fingerprintBits: number
  readonly window: number
  readonly alphabet?: number
  readonly subfiltersMax?: number
}

/** The L with the least error (§4.5.4), tried one by one: the derivative has no closed root, and L is a whole number. */
export function optimalSubfilters(
  memory: QueueMemory,
  error: (rates: ErrorRates) => number = rates => rates.falsePositive + rates.falseNegative,
): { readonly subfilters: number; readonly rates: ErrorRates } {
  const { bits, fingerprintBits, window, subfiltersMax = 64 } = memory
  let best: { subfilters: number; rates: ErrorRates } | undefined
  for (let subfilters = 1; subfilters <= Math.min(subfiltersMax, window); subfilters++) {
    const rows = Math.floor(Math.floor(bits / subfilters) / fingerprintBits)
    if (rows < 1) break
    const shape = { subfilters, rows, fingerprints: 2 ** fingerprintBits - 1, window }
    const rates = queuingRates(memory.alphabet === undefined ? shape : { ...shape, alphabet: memory.alphabet })
    if (best === undefined || error(rates) < error(best.rates)) best = { subfilters, rates }
  }
  if (best === undefined)
    throw parameterError('bits', bits, `one row takes ${fingerprintBits} bits, so at least that many work`)
  return best
}

function checkQueue(shape: QueueShape): void {
  checkWhole('subfilters', shape.subfilters, 1)
  checkWhole('rows', shape.rows, 1)
  checkWhole('window', shape.window, 1)
  if (!(shape.fingerprints >= 1)) throw parameterError('fingerprints', shape.fingerprints, 'at least 1 works')
  if (shape.alphabet !== undefined && !(shape.alphabet >= 2)) {
    throw parameterError('alphabet', shape.alphabet, 'at least 2 works; leave it out when it is large')
  }
}
