// The words of members that route events to each other, with their limits. Append only: the place in the list is the number
// on the wire.

import { bool, bytes, type Codec, list, struct, text, uint, variants } from '../../core/index.ts'
import type { Clause } from '../canonical.ts'
import { decodeFilter, encodeFilter } from '../filter.ts'
import { BOOT_BYTES_MAX, CHANNEL_BYTES_MAX, type Item, itemCodec, NODE_BYTES_MAX, type Source } from '../wire.ts'
import { ASKED_MAX, CLAUSE_BYTES_MAX, HEARD_MAX, TREES_MAX } from './limits.ts'

/** A link of one tree of one overlay. */
export interface Place {
  readonly overlay: number
  readonly tree: number
}

/** A clause, under the number that its announcer gave it on this link. */
export interface NumberedClause {
  readonly id: number
  readonly clause: Clause
}

/** What members that route say to each other. */
export type RoutingMessage =
  /** What the sender's side of the link wants: the changes, or with `whole` everything. `life` differs after a restart. */
  | {
      readonly kind: 'announce'
      readonly place: Place
      readonly life: string
      readonly number: number
      readonly whole: boolean
      readonly add: readonly NumberedClause[]
      readonly remove: readonly number[]
    }
  /** Say everything that your side wants, again. */
  | { readonly kind: 'again'; readonly place: Place }
  /** How many announcements there were on this link; `ready`: the sender's whole side has made its first. */
  | {
      readonly kind: 'standing'
      readonly place: Place
      readonly life: string
      readonly number: number
      readonly ready: boolean
    }
  | { readonly kind: 'event'; readonly place: Place; readonly source: Source; readonly item: Item }
  /** Of the sender's own events of this life: which were handed over, which only seen, which are lacking? */
  | { readonly kind: 'ask'; readonly boot: string; readonly counters: readonly number[] }
  | {
      readonly kind: 'answer'
      readonly boot: string
      readonly handed: readonly number[]
      readonly seen: readonly number[]
      readonly lacking: readonly number[]
    }
  /** An event from its author, outside the trees, to one that said it lacks it. */
  | { readonly kind: 'direct'; readonly source: Source; readonly item: Item }

/** What is said over a link of a tree. */
export type LinkMessage = Extract<RoutingMessage, { readonly place: Place }>

const place = struct<Place>({ overlay: uint(), tree: uint(TREES_MAX - 1) })
const life = text(BOOT_BYTES_MAX)
const counters = list(uint(), ASKED_MAX)
const source = struct<Source>({ channel: text(CHANNEL_BYTES_MAX), author: text(NODE_BYTES_MAX), boot: life })

/** A clause as the filter that it is alone; bytes that are not in the one form are refused. */
const clauseCodec: Codec<Clause> = {
  write(writer, clause) {
    encodedClause.write(writer, encodeFilter({ $any: [clause] }))
  },
  read(reader) {
    const decoded = decodeFilter(encodedClause.read(reader))
    if (!decoded.ok) return reader.refuse(decoded.refusal)
    const [clause, more] = decoded.value.$any
    if (clause === undefined || more !== undefined || decoded.value.$queue !== undefined)
      return reader.refuse('a clause is a filter with one clause')
    return clause
  },
}
const encodedClause = bytes(CLAUSE_BYTES_MAX)

/** The words, as bytes. */
export const routingVocabulary: Codec<RoutingMessage> = variants<RoutingMessage>({
  announce: {
    place,
    life,
    number: uint(),
    whole: bool,
    add: list(struct<NumberedClause>({ id: uint(), clause: clauseCodec }), HEARD_MAX),
    remove: list(uint(), HEARD_MAX),
  },
  again: { place },
  standing: { place, life, number: uint(), ready: bool },
  event: { place, source, item: itemCodec },
  ask: { boot: life, counters },
  answer: { boot: life, handed: counters, seen: counters, lacking: counters },
  direct: { source, item: itemCodec },
})

/** What a filter takes of which the one clause asks nothing. */
const EMPTY_BYTES = encodeFilter({ $any: [[]] }).length

/** The clause, widened until it fits: what is dropped only lets more through. */
export function fitting(clause: Clause): Clause {
  // Each alone: with what was added to a filter of the longest, the whole may be no filter any more.
  const sized = clause.map(predicate => ({
    predicate,
    bytes: encodeFilter({ $any: [[predicate]] }).length - EMPTY_BYTES,
  }))
  let left = EMPTY_BYTES + sized.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const one of [...sized].sort((a, b) => b.bytes - a.bytes)) {
    if (left <= CLAUSE_BYTES_MAX) break
    sized.splice(sized.indexOf(one), 1)
    left -= one.bytes
  }
  return sized.length === clause.length ? clause : sized.map(({ predicate }) => predicate)
}
