// Tickets as the paper has them (OMA §5.3), for groups of squares modulo a safe prime: ticket t becomes (t + 1)², and
// opening takes a root. Here to see its flaws; the ring looks tickets up in a table.

import { bytesOf, integerOf } from '../../crypto/groups/integers.ts'
import { bigintPower } from '../../crypto/groups/residues.ts'
import type { Group } from '../../crypto/index.ts'
import { type Tickets, ticketsOf } from '../../slots/ring/index.ts'

/** The modulus of `insecureSmallGroup`. */
export const SMALL_MODULUS = 2n ** 61n - 2373n

/** §5.3: (t + 1)² modulo p. */
export function squareOf(ticket: bigint, modulus: bigint): bigint {
  return (ticket + 1n) ** 2n % modulus
}

/**
 * §5.3: a root of the square, p = 3 modulo 4, and the ticket from it. The root may be p - (t + 1) as well as t + 1. The
 * paper then says p - (m - 1), which is t + 2; it is p - m - 1 (readings OMA 1).
 */
export function ticketOfSquare(square: bigint, modulus: bigint, offByTwo = false): bigint {
  const root = bigintPower(modulus)(square, (modulus + 1n) / 4n)
  const order = (modulus - 1n) / 2n
  if (root <= order) return root - 1n
  return offByTwo ? modulus - (root - 1n) : modulus - root - 1n
}

/** The paper's mapping, for a group of squares modulo p. 1 has itself for a root, and is the identity: it is left out. */
export function squareTickets(group: Group, modulus: bigint, offByTwo: boolean): Tickets {
  return {
    encode: ticket => bytesOf(squareOf(BigInt(ticket + 1), modulus), group.elementBytes, 'highFirst'),
    decode(element) {
      const found = Number(ticketOfSquare(integerOf(element, 'highFirst'), modulus, offByTwo)) - 1
      return Number.isSafeInteger(found) && found >= 0 ? found : undefined
    },
  }
}

/**
 * Weakness for the assignment game: t + 2 itself, square or not. Whether it is a square shows through every encryption,
 * since what it is multiplied by is one.
 */
export function bareTickets(group: Group, count: number): Tickets {
  const bare = (ticket: number) => bytesOf(BigInt(ticket + 2), group.elementBytes, 'highFirst')
  return ticketsOf(Array.from({ length: count }, (_, ticket) => bare(ticket)))
}

/**
 * §5.3: a generator of the squares from a number of 1 … p - 1. The paper leaves out 1 and forgets -1, whose square is 1
 * too: then every key and every ciphertext is open (readings OMA 10).
 */
export function generatorFrom(drawn: bigint, modulus: bigint, asPrinted = false): bigint | undefined {
  if (drawn === 1n || (drawn === modulus - 1n && !asPrinted)) return undefined
  return (drawn * drawn) % modulus
}
