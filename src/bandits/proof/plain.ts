// Seals and sums that cost nothing and count what is asked of them, for the thesis's protocols in tests and in the lab.

import type { RejectSums } from '../printed/rejects.ts'
import type { PrintedSeals, PrintedSums } from '../printed/ring.ts'

/** How often each was asked for. */
export interface Counted {
  seals: number
  opens: number
  encryptions: number
  decryptions: number
  powers: number
  rerandomised: number
}

/** Nothing is hidden: a seal is its key, what it is about, and the message. */
export function countingTools(): {
  readonly seals: PrintedSeals
  readonly sums: PrintedSums & RejectSums
  readonly counted: Counted
} {
  const counted: Counted = { seals: 0, opens: 0, encryptions: 0, decryptions: 0, powers: 0, rerandomised: 0 }
  const mark = (key: string, about: string) => new TextEncoder().encode(`${key}|${about}|`)
  return {
    counted,
    seals: {
      seal(key, about, message) {
        counted.seals++
        return Uint8Array.from([...mark(key, about), ...message])
      },
      open(key, about, sealed) {
        counted.opens++
        const expected = mark(key, about)
        const isRight = expected.every((byte, at) => byte === sealed[at])
        return isRight ? sealed.slice(expected.length) : undefined
      },
    },
    sums: {
      encrypt(value) {
        counted.encryptions++
        return value
      },
      add: (one, other) => one + other,
      times(value, factor) {
        counted.powers++
        return value * factor
      },
      rerandomise(value) {
        counted.rerandomised++
        return value
      },
      decrypt(value) {
        counted.decryptions++
        return value
      },
    },
  }
}
