// A group of prime order, as everything above it sees it: bytes in, bytes out, no objects of a library.
//
// The operation is written as addition, after the default group (a curve): what the paper writes g^x is
// `multiplyBase(x)`, and its product of two elements is `add`. An element has exactly one encoding and so has a scalar,
// so that what is hashed, signed and compared is the same everywhere. State that holds elements stays plain data.
//
// Two doors, and the difference matters. What comes off the wire enters by `decode` and `decodeScalar`, which refuse
// whatever is not canonical, not in the group, or the identity: an element of small order would open a share bit by bit,
// the identity would make a key that hides nothing, and a second encoding would make two proofs of one. Everything else
// trusts its arguments: they came through a door or out of the group itself, and anything else is a bug and may throw.

/** The one encoding of an element, `elementBytes` long. */
export type Element = Uint8Array

/** The one encoding of an integer below the order, `scalarBytes` long. */
export type Scalar = Uint8Array

/** Where chance comes from: a number of fresh, unpredictable bytes. `turn.bytes` in a machine. */
export type RandomBytes = (length: number) => Uint8Array

/** A term of a sum: an element, and how many times it is taken. */
export type Term = readonly [element: Element, scalar: Scalar]

/** A group in which logarithms are hard: what ElGamal and the proofs run on. */
export interface Group {
  /** Names the group in records, so that members with different groups never talk past each other. */
  readonly name: string
  /** False for groups made for simulations, whose name says so too; code that handles real secrets refuses them. */
  readonly secure: boolean
  readonly elementBytes: number
  readonly scalarBytes: number
  /** A prime. */
  readonly order: bigint
  /** Has an encoding, but `decode` refuses it: nobody has a reason to send it. */
  readonly identity: Element
  readonly generator: Element

  /** What came off the wire, if it is canonical, in the group and not the identity. Never throws. */
  decode(bytes: Uint8Array): Element | undefined
  /** What came off the wire, if it is an integer below the order in its one encoding; zero is one. Never throws. */
  decodeScalar(bytes: Uint8Array): Scalar | undefined

  /** For secret scalars too: as even in its timing as the arithmetic behind it allows. */
  multiply(element: Element, scalar: Scalar): Element
  /** The generator times the scalar; quicker than `multiply`, and for secret scalars too. */
  multiplyBase(scalar: Scalar): Element
  /** The sum of products; for public scalars only: it may take short cuts that its timing tells. */
  sumOfProducts(terms: readonly Term[]): Element
  add(left: Element, right: Element): Element
  subtract(left: Element, right: Element): Element
  negate(element: Element): Element
  equal(left: Element, right: Element): boolean

  addScalars(left: Scalar, right: Scalar): Scalar
  subtractScalars(left: Scalar, right: Scalar): Scalar
  multiplyScalars(left: Scalar, right: Scalar): Scalar
  /** The inverse; of zero there is none, and asking for it is a bug. */
  invertScalar(scalar: Scalar): Scalar
  /** An integer of any size or sign, reduced by the order; for public values only. */
  scalar(value: bigint): Scalar
  /** The integer below the order; for public values only. */
  integer(scalar: Scalar): bigint
  /** Uniform and never zero. */
  randomScalar(random: RandomBytes): Scalar

  /** An element whose logarithm nobody knows, never the identity; different domains give unrelated elements. */
  hashToElement(domain: string, message: Uint8Array): Element
  /** Uniform over the scalars. */
  hashToScalar(domain: string, message: Uint8Array): Scalar
}
