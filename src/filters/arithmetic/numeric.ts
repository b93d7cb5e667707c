// The few sums that all error rates are made of. Rows fill as a Poisson process, elements come back after a geometric
// gap, and windows run to 10^8: nothing here may take a step per element.

/** (1 - x)^n without losing what a tiny x or a huge n would. */
export function powerOfRest(x: number, n: number): number {
  if (n === 0) return 1
  if (x >= 1) return 0
  return Math.exp(n * Math.log1p(-x))
}

/** Σ_{y=0}^{n-1} z^y. */
export function geometricSum(z: number, n: number): number {
  if (n <= 0) return 0
  if (z === 1) return n
  if (z === 0) return 1
  return -Math.expm1(n * Math.log(z)) / (1 - z)
}

/** The mean of geometricSum(z, η) over η = 0 … n-1. */
export function meanGeometricSum(z: number, n: number): number {
  const step = 1 - z
  // Near one the closed form is the small difference of large numbers; two terms of the series are exact enough.
  if (step * n < 1e-5) return (n - 1) / 2 - (step * (n - 1) * (n - 2)) / 6
  return (1 - geometricSum(z, n) / n) / step
}

const POISSON_TAIL = 1e-12

/** The values a Poisson variable takes and their chances, leaving out tails below 10^-12 of the mode. */
export function poisson(mean: number): { readonly first: number; readonly chances: Float64Array } {
  if (!(mean >= 0) || mean > 1e9) throw new RangeError(`poisson: the mean is ${mean}; 0 to 10^9 can be summed`)
  const mode = Math.floor(mean)
  const below: number[] = []
  for (let value = mode, weight = 1; value > 0 && weight > POISSON_TAIL; value--) {
    weight *= value / mean
    below.push(weight)
  }
  const above: number[] = [1]
  for (let value = mode + 1, weight = 1; weight > POISSON_TAIL && mean > 0; value++) {
    weight *= mean / value
    above.push(weight)
  }
  const chances = Float64Array.from([...below.reverse(), ...above])
  const total = chances.reduce((sum, weight) => sum + weight, 0)
  for (let index = 0; index < chances.length; index++) chances[index]! /= total
  return { first: mode - below.length, chances }
}

/** P(Poisson(mean) < bound). */
export function poissonBelow(mean: number, bound: number): number {
  let term = Math.exp(-mean)
  let sum = 0
  for (let value = 0; value < bound; value++) {
    sum += term
    term *= mean / (value + 1)
  }
  return Math.min(1, sum)
}

const EXACT_TERMS = 400
const PANELS = 300

/**
 * Σ_{y=from}^{to-1} h(y) for a smooth h: term by term while that is cheap, otherwise by midpoints whose spacing
 * grows from the lower end, where every h of this folder bends most.
 */
export function smoothSum(from: number, to: number, h: (y: number) => number): number {
  const count = to - from
  if (!(count > 0)) return 0
  let sum = 0
  if (count <= EXACT_TERMS) {
    for (let y = from; y < to; y++) sum += h(y)
    return sum
  }
  for (let panel = 0; panel < PANELS; panel++) {
    const low = count * (panel / PANELS) ** 3
    const high = count * ((panel + 1) / PANELS) ** 3
    sum += (high - low) * h(Math.max(from, from + (low + high) / 2 - 0.5))
  }
  return sum
}
