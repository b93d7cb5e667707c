// Tickets as elements of a group (OMA §5.3). Ticket k is a public element, different for each k; the first m mean
// slots. In any group a table does: element k is hashed from k, and opening is a look-up. The paper's own way, squares
// modulo a safe prime, is in src/papers/slots.

import { sameBytes } from '../../core/index.ts'
import { type Element, framed, type Group } from '../../crypto/index.ts'

export interface Tickets {
  encode(ticket: number): Element
  /** The ticket, or undefined for what is none. */
  decode(element: Element): number | undefined
}

/** All members must hash alike, those of earlier releases too: so it keeps the word that it began with. */
const DOMAIN = 'coterie slots printed ticket'

/** n tickets, looked up. */
export function tableTickets(group: Group, count: number): Tickets {
  return ticketsOf(Array.from({ length: count }, (_, ticket) => group.hashToElement(DOMAIN, framed(ticket))))
}

/** Ticket k is the k-th of these elements. */
export function ticketsOf(table: readonly Element[]): Tickets {
  return {
    encode: ticket => table[ticket]!,
    decode(element) {
      const found = table.findIndex(one => sameBytes(one, element))
      return found < 0 ? undefined : found
    },
  }
}
