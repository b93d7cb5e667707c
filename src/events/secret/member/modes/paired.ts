// Paired: tagged, with a key of its own for each writer and reader, which the two agree on from their own keys. One writer reads
// nothing of another, a reader nothing that is said to another, and the key of one of them opens what it is a party of, and no
// more. What is inside says the same to all readers, and only the seal and the names differ.

import { type EpochKeys, lettersOf, type Pair, pairKeys, pairName, tagOf } from '../../keys.ts'
import { PAIRED_NAMES_MAX, SIGNED_MAX, TAGS_MAX } from '../../limits.ts'
import { openEvent, openTotals, sealEvent, sealTotals, signTotals } from '../../sealed.ts'
import type { MemberScene } from '../state.ts'
import type { Mode, OpenEpoch } from './mode.ts'

const NONCE_BYTES = 12
const NO_KEY = new Uint8Array(0)

/** Any broker, unchanged. */
export const paired: Mode = {
  keywordsMax: TAGS_MAX,
  batchMax: SIGNED_MAX,
  isMatched: false,
  // Of each writer and keyword one name.
  listenedMax: ({ writers }) => Math.floor(PAIRED_NAMES_MAX / Math.max(1, writers.size)),
  mayBegin: () => true,
  seal(scene, epoch, keywords, inside) {
    const { settings, turn } = scene
    return readersOf(scene, epoch).map(keys => {
      const nonce = settings.rules.nonce(length => turn.bytes(length), inside.events[0]!.counter)
      const tags = keywords.map(keyword => tagOf(keys, keyword))
      const outside = { kind: 'event', epoch: epoch.record.number, lap: 0, tags, nonce } as const
      return { names: tags.map(lettersOf), frame: sealEvent(settings, 'paired', keys.body, outside, inside) }
    })
  },
  tell(scene, epoch, said) {
    const { settings, turn } = scene
    const { number } = epoch.record
    const totals = signTotals(settings, number, said)
    return readersOf(scene, epoch).map(keys => {
      const nonce = turn.bytes(NONCE_BYTES)
      const sealed = sealTotals(settings, keys.body, number, nonce, totals)
      return { kind: 'told', epoch: number, to: pairName(keys), key: NO_KEY, nonce, sealed }
    })
  },
  open(scene, epoch, frame) {
    if (frame.kind !== 'event') return undefined
    const author = frame.tags.map(tag => epoch.pairNames.get(lettersOf(tag))).find(name => name !== undefined)
    const keys =
      author === undefined ? undefined : keysOf(scene, epoch, { writer: author, reader: scene.settings.name })
    if (keys === undefined) return 'other'
    const inside = openEvent(scene.settings, 'paired', keys.body, frame)
    // A reader has the key of the pair, too: what is under it is the writer's, or nobody's.
    return inside?.author === author ? inside : undefined
  },
  openTotals(scene, epoch, frame) {
    if (frame.kind !== 'told') return undefined
    const keys = writersOf(scene, epoch).get(lettersOf(frame.to))
    if (keys === undefined) return 'other'
    return openTotals(scene.settings, keys.body, frame.epoch, frame.nonce, frame.sealed)
  },
  names,
  searches: () => [],
}

/** Derived once, from what the two share. */
function keysOf({ settings }: MemberScene, epoch: OpenEpoch, pair: Pair): EpochKeys | undefined {
  const { writer, reader } = pair
  const name = `${writer}>${reader}`
  const known = epoch.pairs.get(name)
  if (known !== undefined) return known
  const other = epoch.record.parties.find(one => one.name === (writer === settings.name ? reader : writer))
  const shared = other && settings.sealing.agree(other.sealingKey)
  // The keeper has listed what is no key: nobody can be spoken to by it.
  if (shared === undefined) return undefined
  const keys = pairKeys(settings.rules, epoch.record, pair, shared, epoch.secret)
  epoch.pairs.set(name, keys)
  return keys
}

/** The keys for each reader. */
function readersOf(scene: MemberScene, epoch: OpenEpoch): EpochKeys[] {
  const writer = scene.settings.name
  return epoch.record.parties.flatMap(({ name, reads }) => {
    const keys = reads ? keysOf(scene, epoch, { writer, reader: name }) : undefined
    return keys === undefined ? [] : [keys]
  })
}

/** The keys of each writer, by the name under which its totals come. */
function writersOf(scene: MemberScene, epoch: OpenEpoch): ReadonlyMap<string, EpochKeys> {
  const reader = scene.settings.name
  if (epoch.pairTotals.size === 0) {
    for (const writer of epoch.writers.keys()) {
      const keys = keysOf(scene, epoch, { writer, reader })
      if (keys !== undefined) epoch.pairTotals.set(lettersOf(pairName(keys)), keys)
    }
  }
  return epoch.pairTotals
}

/** Of each writer and keyword one; kept, so that what comes is known by it, and made once for each subscription. */
function names(scene: MemberScene, epoch: OpenEpoch): Iterable<string> {
  const { state, settings } = scene
  for (const [id, { keywords }] of state.subscriptions) {
    if (epoch.pairIds.has(id)) continue
    epoch.pairIds.add(id)
    for (const writer of epoch.writers.keys()) {
      const keys = keysOf(scene, epoch, { writer, reader: settings.name })
      if (keys === undefined) continue
      for (const keyword of keywords) epoch.pairNames.set(lettersOf(tagOf(keys, keyword)), writer)
    }
  }
  return epoch.pairNames.keys()
}
