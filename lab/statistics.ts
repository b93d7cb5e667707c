// How far a measured figure may be from the expected one before something is wrong: bounds, so that a tolerance is
// derived and not chosen. Two kinds. `rateTolerance` is Bernstein's inequality: it holds for any number of
// independent trials and any rate, also one success in a million, where the bell curve promises too much.
// `normalQuantile` and `meanTolerance` are the bell curve, for sums of many measurements of unknown spread.
// A test that looks at m figures at once asks each for `bonferroni(confidence, m)`: then the chance that any of
// them is off by bad luck stays what it was for one.

/** The confidence that one look at m figures asks of each, so that all hold together with the given confidence. */
export function bonferroni(confidence: number, figures: number): number {
  checkConfidence(confidence)
  if (!(figures >= 1)) throw new RangeError(`bonferroni: figures is ${figures}; one or more are needed`)
  return 1 - (1 - confidence) / figures
}

/**
 * How far the measured rate of `trials` independent yes-or-no trials may be from the true `rate`, on either side.
 * Bernstein: P(|p̂ - p| ≥ t) ≤ 2 exp(-n t² / (2 p(1-p) + 2t/3)), solved for t.
 */
export function rateTolerance(rate: number, trials: number, confidence: number): number {
  checkConfidence(confidence)
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`rateTolerance: rate is ${rate}; a rate lies in 0…1`)
  if (!(trials > 0)) return 1
  const doubt = Math.log(2 / (1 - confidence))
  const linear = doubt / (3 * trials)
  return Math.min(1, linear + Math.sqrt(linear * linear + (2 * rate * (1 - rate) * doubt) / trials))
}

/**
 * How far two measured rates of the same thing may be from each other. `rounding` is half a unit of the last
 * printed digit, where one of them comes from a printed table.
 */
export function twoRateTolerance(
  rate: number,
  ourTrials: number,
  theirTrials: number,
  confidence: number,
  rounding = 0,
): number {
  const each = bonferroni(confidence, 2)
  return rateTolerance(rate, ourTrials, each) + rateTolerance(rate, theirTrials, each) + rounding
}

/** An interval that holds the true rate (Wilson's score interval): well behaved near 0 and 1. */
export function rateBounds(successes: number, trials: number, confidence: number): readonly [number, number] {
  if (!(trials > 0)) return [0, 1]
  const z = normalQuantile(0.5 + confidence / 2)
  const rate = successes / trials
  const weight = 1 + (z * z) / trials
  const centre = (rate + (z * z) / (2 * trials)) / weight
  const half = (z / weight) * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials))
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}

export interface Summary {
  readonly count: number
  readonly mean: number
  /** The spread of single values: the square root of the unbiased variance; 0 for fewer than two. */
  readonly deviation: number
}

export function summarise(values: readonly number[]): Summary {
  const count = values.length
  if (count === 0) return { count, mean: Number.NaN, deviation: 0 }
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  if (count === 1) return { count, mean, deviation: 0 }
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { count, mean, deviation: Math.sqrt(squares / (count - 1)) }
}

/**
 * How far the mean of the values may be from the true mean: Student's t, since the spread is itself estimated.
 * With three values and 99 % that is 5.7 deviations of one value: few runs say little, and this says so.
 */
export function meanTolerance(values: readonly number[], confidence: number): number {
  const { count, deviation } = summarise(values)
  if (count < 2) return Number.POSITIVE_INFINITY
  return (studentQuantile(0.5 + confidence / 2, count - 1) * deviation) / Math.sqrt(count)
}

/**
 * How far the mean of our values may be from the mean of `theirs` others that were drawn in the same way, and of which nothing but
 * that mean is known: both have the spread of ours. `rounding` is what their figure leaves open: half a unit of its last digit.
 */
export function sameMeanTolerance(values: readonly number[], theirs: number, confidence: number, rounding = 0): number {
  const { count, deviation } = summarise(values)
  if (count < 2) return Number.POSITIVE_INFINITY
  const t = studentQuantile(0.5 + confidence / 2, count - 1)
  return t * deviation * Math.sqrt(1 / count + 1 / theirs) + rounding
}

/** The chance that a standard normal value lies below x. */
export function normalBelow(x: number): number {
  return 0.5 * complementaryError(-x / Math.SQRT2)
}

/** The x with normalBelow(x) = probability, by bisection: exact enough, and nothing to mistype. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`normalQuantile: probability is ${probability}; it must lie between 0 and 1`)
  }
  return bisect(normalBelow, probability, -40, 40)
}

/** The same for Student's t with the given degrees of freedom. */
export function studentQuantile(probability: number, degrees: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`studentQuantile: probability is ${probability}; it must lie between 0 and 1`)
  }
  return bisect(t => studentBelow(t, degrees), probability, -1e6, 1e6)
}

function bisect(rising: (x: number) => number, target: number, from: number, to: number): number {
  let low = from
  let high = to
  for (let step = 0; step < 200 && high - low > 1e-13 * Math.max(1, Math.abs(low)); step++) {
    const middle = (low + high) / 2
    if (rising(middle) < target) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Student's distribution for whole degrees of freedom, as the finite sum of cosines it is. */
function studentBelow(t: number, degrees: number): number {
  const angle = Math.atan2(t, Math.sqrt(degrees))
  const cosine = Math.cos(angle)
  const sine = Math.sin(angle)
  const odd = degrees % 2 === 1
  let term = odd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let step = odd ? 2 : 1; step < degrees - 1; step += 2) {
    term *= (step / (step + 1)) * cosine * cosine
    sum += term
  }
  const within = odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum
  return 0.5 + within / 2
}

/** erfc, to a relative 1.2e-7 everywhere (Numerical Recipes, the Chebyshev fit): tails stay right. */
function complementaryError(x: number): number {
  const z = Math.abs(x)
  const t = 1 / (1 + z / 2)
  const fit = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ]
  const sum = fit.reduceRight((total, coefficient) => total * t + coefficient, 0)
  const value = t * Math.exp(-z * z + sum)
  return x >= 0 ? value : 2 - value
}

function checkConfidence(confidence: number): void {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence is ${confidence}; it must lie between 0 and 1, such as 0.99`)
  }
}
