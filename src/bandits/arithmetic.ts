// Logarithm, exponential and cosine out of + - × ÷ and √, which ECMAScript rounds exactly: the same on every machine.
// Math.log and its kin are not: two engines differ in the last bit at some arguments, and then two honest parties
// compute different indices from the same rewards (protocols/bandits 1).

const bits = new DataView(new ArrayBuffer(8))
/** ln 2 in two parts: the first has zeros at the end, so that its multiples are exact. */
const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10
const LN2 = LN2_HIGH + LN2_LOW
const HALF_PI_HIGH = 1.5707963267341256
const HALF_PI_LOW = 6.077100506506192e-11
const ROOT_HALF = Math.SQRT1_2
/** Terms after which a series adds nothing to a double. */
const LN_TERMS = 23
const EXP_TERMS = 18
const COS_TERMS = 22

/** The natural logarithm of a positive number. */
export function ln(x: number): number {
  if (!(x > 0) || x === Number.POSITIVE_INFINITY) return x === 0 ? Number.NEGATIVE_INFINITY : x > 0 ? x : Number.NaN
  let { fraction, exponent } = parts(x)
  // Around 1 the series is shortest, and nothing cancels.
  if (fraction < ROOT_HALF) {
    fraction *= 2
    exponent -= 1
  }
  const ratio = (fraction - 1) / (fraction + 1)
  const square = ratio * ratio
  let sum = 0
  for (let term = LN_TERMS; term >= 3; term -= 2) sum = (sum + 1 / term) * square
  return exponent * LN2_HIGH + (exponent * LN2_LOW + 2 * ratio * sum + 2 * ratio)
}

/** x = fraction · 2^exponent with the fraction from ½ to below 1. */
function parts(x: number): { fraction: number; exponent: number } {
  // Below the smallest normal number the exponent's field is zero.
  const scaled = x < 2 ** -1022 ? x * 2 ** 54 : x
  bits.setFloat64(0, scaled)
  const high = bits.getUint32(0)
  const exponent = (high >>> 20) - 1022 - (scaled === x ? 0 : 54)
  bits.setUint32(0, (high & 0x000f_ffff) | (1022 << 20))
  return { fraction: bits.getFloat64(0), exponent }
}

/** e to the power of x. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x
  if (x > 709.79) return Number.POSITIVE_INFINITY
  if (x < -745.2) return 0
  const halvings = Math.round(x / LN2)
  const rest = x - halvings * LN2_HIGH - halvings * LN2_LOW
  let sum = 1
  for (let term = EXP_TERMS; term >= 1; term--) sum = 1 + (sum * rest) / term
  const half = Math.trunc(halvings / 2)
  return sum * powerOfTwo(half) * powerOfTwo(halvings - half)
}

function powerOfTwo(exponent: number): number {
  bits.setUint32(0, (exponent + 1023) << 20)
  bits.setUint32(4, 0)
  return bits.getFloat64(0)
}

/** The cosine of an angle from 0 to 2π. */
export function cos(x: number): number {
  const quarter = Math.round(x / (HALF_PI_HIGH + HALF_PI_LOW))
  const rest = x - quarter * HALF_PI_HIGH - quarter * HALF_PI_LOW
  const [even, odd] = [series(rest, 0), series(rest, 1)]
  return [even, -odd, -even, odd][((quarter % 4) + 4) % 4]!
}

/** The even part of the exponential's series with alternating signs is the cosine, the odd one the sine. */
function series(x: number, parity: 0 | 1): number {
  let sum = 1
  for (let term = COS_TERMS; term >= 2; term -= 2) sum = 1 - (sum * x * x) / ((term + parity) * (term + parity - 1))
  return parity === 0 ? sum : sum * x
}

/** Numbers from 0 to below 1, 53 bits each, drawn where replay needs it from a keyed function. */
export type Chance = () => number

/** A draw from the normal distribution (Box and Muller): two numbers make one. */
export function normal(chance: Chance): number {
  const radius = Math.sqrt(-2 * ln(1 - chance()))
  return radius * cos(2 * (2 * (HALF_PI_HIGH + HALF_PI_LOW)) * chance())
}

/** A draw from the gamma distribution with shape at least 1 (Marsaglia and Tsang, 2000). */
export function gamma(shape: number, chance: Chance): number {
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(chance)
    const root = 1 + c * x
    if (root <= 0) continue
    const v = root * root * root
    if (ln(1 - chance()) < (x * x) / 2 + d - d * v + d * ln(v)) return d * v
  }
}

/** A draw from the beta distribution, both parameters at least 1. */
export function beta(a: number, b: number, chance: Chance): number {
  const first = gamma(a, chance)
  return first / (first + gamma(b, chance))
}
