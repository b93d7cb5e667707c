// Servers that lie about events, knowing the words: each row of the table of faults.

import type { NodeId } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import { eventsDefaults } from '../defaults.ts'
import { pathOf, wholeAt } from '../items.ts'
import type { Hash } from '../settings.ts'
import { leafOf } from '../signed.ts'
import type { EventsMessage, Head, Item, SavedCursor, Source } from '../wire.ts'

type Twist = (body: EventsMessage) => EventsMessage | undefined

/** Honest but for what it makes of its words; nothing: it keeps silent. */
function twisted(name: string, twist: Twist): Liar {
  return twisting(name, (send, turn) => {
    const body = twist(send.body as unknown as EventsMessage)
    if (body !== undefined) turn.do({ ...send, body: body as unknown as Record<string, unknown> })
  })
}

/** Says that it holds what it does not show to anybody. */
export const acksWithoutStoring: Liar = twisted('acks-without-storing', body => {
  if (body.kind === 'heads') return { ...body, entries: [] }
  if (body.kind === 'told') return { ...body, counter: 0 }
  return body.kind === 'held' || body.kind === 'saved' ? body : undefined
})

/** Shows every other match, and says that these are all. */
export const withholding: Liar = twisted('withholding', body =>
  body.kind === 'found' ? { ...body, items: body.items.filter(({ counter }) => counter % 2 === 0) } : body,
)

/** Has never heard of the first author. */
export const hiding: Liar = twisted('hiding', body => {
  const isHidden = ({ author }: { readonly author: string }) => author.endsWith('1')
  if (body.kind === 'heads') return { ...body, entries: body.entries.filter(entry => !isHidden(entry)) }
  if (body.kind === 'told' && isHidden(body.source)) return { ...body, counter: 0 }
  return body.kind === 'found' && isHidden(body.source) ? undefined : body
})

export const wrongDigests: Liar = twisted('wrong-digests', body =>
  body.kind === 'digest' ? { ...body, hash: body.hash.map(byte => byte ^ 1) } : body,
)

/** Agrees to nothing by holding nothing, and is never silent. */
export const behind: Liar = twisted('behind', body => {
  if (body.kind === 'heads') return { ...body, entries: body.entries.map(entry => ({ ...entry, counter: 0 })) }
  return body.kind === 'told' ? { ...body, counter: 0 } : body
})

const FAR = 1_000

/** Holds more than there is. */
export const ahead: Liar = twisted('ahead', body => {
  if (body.kind === 'heads')
    return { ...body, entries: body.entries.map(entry => ({ ...entry, counter: entry.counter + FAR })) }
  if (body.kind === 'told' || body.kind === 'held') return { ...body, counter: body.counter + FAR }
  return body.kind === 'found' ? { ...body, through: body.through + FAR } : body
})

/** Says that it has cut everything that it holds. */
export const cutting: Liar = twisted('cutting', body => {
  if (body.kind === 'heads') return { ...body, entries: body.entries.map(entry => ({ ...entry, base: entry.counter })) }
  return body.kind === 'range' ? { ...body, base: body.items.at(-1)?.counter ?? body.base } : body
})

/** Takes part in queues, hands out nothing, and says that all is done. */
export const hoarding: Liar = twisted('hoarding', body => {
  if (body.kind === 'queued') return { ...body, entries: body.entries.map(far) }
  return body.kind === 'task' ? undefined : body
})

/** Shows cursors far ahead of what was done. */
export const cursorForger: Liar = twisted('cursor-forger', body => {
  if (body.kind !== 'loaded') return body
  const { cursor } = body
  return { ...body, cursor: cursor && { ...cursor, entries: cursor.entries.map(far) } }
})

function far<T extends { readonly counter: number }>(entry: T): T {
  return { ...entry, counter: entry.counter + FAR }
}

/** Shows the first cursor that it ever had of a name. */
export function oldCursors(): Liar {
  const first = new Map<string, SavedCursor>()
  return twisted('old-cursors', body => {
    if (body.kind !== 'loaded' || body.cursor === undefined) return body
    const key = `${body.cursor.owner} ${body.cursor.name}`
    if (!first.has(key)) first.set(key, body.cursor)
    return { ...body, cursor: first.get(key) }
  })
}

/** Shows, as the next event of one author, what somebody else said. */
export function foreignEvents(): Liar {
  let last: Item | undefined
  return twisted('foreign-events', body => {
    if (body.kind !== 'found' && body.kind !== 'range') return body
    const other = last
    last = body.items.at(-1) ?? last
    if (other === undefined) return body
    return { ...body, items: body.items.map(item => ({ ...other, counter: item.counter })) }
  })
}

/** Changes what it passes on to others, in a byte. */
export const altering: Liar = twisted('altering', body => {
  if (body.kind === 'task') return { ...body, item: altered(body.item) }
  if (body.kind !== 'found' && body.kind !== 'range') return body
  return { ...body, items: body.items.map(altered) }
})

// The last byte is of the author's time: it can still be read.
function altered(item: Item): Item {
  const content = new Uint8Array(item.content)
  content[content.length - 1]! ^= 1
  return { ...item, content }
}

const MANY = 64

/**
 * Fills the tables of others with what there never was: to subscriptions sources, to queues cuts, to servers queues and
 * sources, and some that were cut. It says so with every word, and never the same.
 */
export function filling(): Liar {
  let number = 0
  const invented = (channel: string): Source => ({ channel, author: `nobody-${number++}`, boot: 'ab' })
  const many = (channel: string) => Array.from({ length: MANY }, () => ({ ...invented(channel), counter: 1, base: 0 }))
  return twisting('filling', (send, turn) => {
    turn.do(send)
    for (const body of filled(send.body as unknown as EventsMessage, invented, many))
      turn.do({ ...send, body: body as unknown as Record<string, unknown> })
  })
}

function filled(
  body: EventsMessage,
  invented: (channel: string) => Source,
  many: (channel: string) => Head[],
): EventsMessage[] {
  const terms = { live: false, keep: { age: 1_000_000, bytes: 1_000_000 }, identity: new Uint8Array() }
  switch (body.kind) {
    case 'heads':
      if (body.sub === 0) return [{ ...body, entries: many('prices') }]
      return [
        { ...body, entries: many(body.entries[0]?.channel ?? 'prices') },
        { kind: 'skipped', sub: body.sub, source: invented('prices'), from: 1, to: 9 },
      ]
    case 'compare': {
      const source = invented('prices')
      const item = { counter: 8, content: new Uint8Array([1]), proof: undefined }
      return [
        { kind: 'queued', channel: 'prices', name: source.author, owner: source.author, entries: many('prices') },
        { kind: 'range', source, terms, base: 7, items: [item] },
      ]
    }
    default:
      return []
  }
}

/**
 * Shows a node of a batch's tree as if it were an event: the two hashes below it as content, and what is left of the path. Three
 * things are in its way: leaf and node hashes differ in their first byte, a leaf begins with the event's id, and how many
 * events a batch has is signed, so that a path of another length leads nowhere.
 */
export function nodesAsEvents(hash: Hash): Liar {
  return twisted('nodes-as-events', body => {
    if (body.kind !== 'found' && body.kind !== 'range') return body
    return { ...body, items: body.items.map(item => nodeAbove(hash, body.source, item)) }
  })
}

function nodeAbove(hash: Hash, source: Source, item: Item): Item {
  const { counter, content, proof } = item
  const path = pathOf(item)
  const beside = path?.[0]
  if (proof === undefined || path === undefined || beside === undefined) return item
  const leaf = leafOf(hash, source, counter, content)
  const isLeft = (counter - proof.first) % 2 === 0
  const below = new Uint8Array(isLeft ? [...leaf, ...beside] : [...beside, ...leaf])
  const count = Math.ceil(proof.count / 2)
  const { first, signature } = proof
  return { ...item, content: below, proof: { first, count, signature, path: path.slice(1) } }
}

const SPOILT = 5

/**
 * Shows batches that are not what was signed, as a whole and without paths: with one event altered, two that changed places, the
 * last or the first left out, or a part that is called the whole.
 */
export function spoiltBatches(): Liar {
  let how = 0
  return twisted('spoilt-batches', body => {
    if (body.kind !== 'found' && body.kind !== 'range') return body
    return { ...body, items: spoilt(body.items, how++ % SPOILT) }
  })
}

function spoilt(items: readonly Item[], how: number): readonly Item[] {
  const at = items.findIndex((_, place) => wholeAt(items, place) > 0)
  if (at < 0) return partAsWhole(items)
  const count = wholeAt(items, at)
  const batch = items.slice(at, at + count)
  const [before, after] = [items.slice(0, at), items.slice(at + count)]
  const [one, two, ...rest] = batch as [Item, Item, ...Item[]]
  switch (how) {
    case 0:
      return [...before, ...asWhole([altered(one), two, ...rest]), ...after]
    case 1:
      return [...before, ...asWhole([two, one, ...rest], one.counter), ...after]
    case 2:
      return [...before, ...asWhole(batch.slice(0, -1)), ...after]
    case 3:
      return [...before, ...asWhole(batch.slice(1)), ...after]
    default:
      return partAsWhole(batch.slice(0, Math.ceil(count / 2)))
  }
}

function partAsWhole(items: readonly Item[]): readonly Item[] {
  const isRun = items.every(({ counter, proof }, place) => proof !== undefined && counter === items[0]!.counter + place)
  return isRun && items.length > 0 ? asWhole(items) : items
}

/** As the wire has a whole batch: the signature of one, numbers without gaps, no path. */
function asWhole(items: readonly Item[], first = items[0]!.counter): Item[] {
  const { signature } = items[0]!.proof!
  const alone = items.length === 1 ? { path: [] } : {}
  const proof = { first, count: items.length, signature, ...alone }
  return items.map(({ content }, place) => ({ counter: first + place, content, proof }))
}

/** In league with an author, which signs for it: shows other words under its ids than all the others hold. */
export function inLeague(author: string, sign: (source: Source, item: Item) => Item): Liar {
  return twisted('in-league', body => {
    if (body.kind !== 'found' || body.source.author !== author) return body
    return { ...body, items: body.items.map(item => sign(body.source, altered(item))) }
  })
}

/** Passes on to the other servers, as said in one channel, what was said in another. */
export function movingChannels(to: string): Liar {
  return {
    name: 'moving-channels',
    corrupt(honest) {
      let others: readonly NodeId[] = []
      return {
        ...honest,
        init(self, peers, saved) {
          others = peers.filter(peer => peer !== self)
          return honest.init(self, peers, saved)
        },
        step(state, input, turn) {
          honest.step(state, input, turn)
          if (input.kind !== 'message') return
          const body = input.body as unknown as EventsMessage
          if (body.kind !== 'publish' || body.source.channel === to) return
          const { terms, items } = body
          const moved: EventsMessage = { kind: 'range', source: { ...body.source, channel: to }, terms, base: 0, items }
          for (const other of others) turn.do({ kind: 'send', to: other, body: moved as never })
        },
      }
    },
  }
}

/** Fresh ones for each run: some remember. */
export function eventsLiars(): readonly Liar[] {
  return [
    acksWithoutStoring,
    withholding,
    hiding,
    wrongDigests,
    behind,
    ahead,
    cursorForger,
    oldCursors(),
    foreignEvents(),
    altering,
    cutting,
    hoarding,
    filling(),
    nodesAsEvents(eventsDefaults.hash),
    spoiltBatches(),
    ...generalLiars(),
  ]
}
