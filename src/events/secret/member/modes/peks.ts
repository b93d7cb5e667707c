// Peks: searchable encryption with each reader's public key (Boneh and others 2004), for writers outside the audience. An event is
// marked and sealed for each reader apart, under a fresh key; a matcher finds it by that reader's trapdoors, one pairing each.
// Trapdoors and marks are of one epoch. What it does not hide: whoever has a trapdoor can guess its keyword from a list.

import { framed } from '../../../../crypto/index.ts'
import { lettersOf, mapKeyOf, readerName, searchWord } from '../../keys.ts'
import { MARKED_BATCH_MAX, MARKS_MAX, SEARCHED_MAX, TRAPDOORS_MADE_MAX } from '../../limits.ts'
import type { KeyedParty } from '../../record.ts'
import { openEvent, openTotals, sealEvent, sealTotals, signTotals } from '../../sealed.ts'
import type { Frame } from '../../wire.ts'
import type { MemberScene } from '../state.ts'
import type { Mode, OpenEpoch } from './mode.ts'

const NONCE_BYTES = 12
const KEY_BYTES = 32
const SEALED = 'coterie/events/body key'

/** With a matcher that has pairings. */
export const peks: Mode = {
  keywordsMax: MARKS_MAX,
  batchMax: MARKED_BATCH_MAX,
  isMatched: true,
  listenedMax: () => SEARCHED_MAX,
  mayBegin: () => true,
  seal(scene, epoch, keywords, inside) {
    const { state, settings, turn } = scene
    const { rules, channel, search } = settings
    const { number } = epoch.record
    const words = keywords.map(keyword => searchWord(rules, channel.id, number, keyword))
    const random = rules.markChance(length => turn.bytes(length))
    return readersOf(epoch).flatMap(party => {
      const marked = search?.mark(party.searchKey!, channel.id, words, random)
      // The keeper has listed what is no key: nobody can be spoken to by it.
      if (marked === undefined) return []
      const { fresh, key } = bodyKey(scene, epoch, party)
      const nonce = rules.nonce(length => turn.bytes(length), inside.events[0]!.counter)
      const reader = readerName(channel.id, number, party.searchKey!)
      const outside = { kind: 'marked', epoch: number, reader, ...marked, key, nonce } as const
      return [{ names: [state.names.matcher], frame: sealEvent(settings, 'peks', fresh, outside, inside) }]
    })
  },
  tell(scene, epoch, said) {
    const { settings, turn } = scene
    const { number } = epoch.record
    const totals = signTotals(settings, number, said)
    return readersOf(epoch).map(party => {
      const { fresh, key } = bodyKey(scene, epoch, party)
      const nonce = turn.bytes(NONCE_BYTES)
      const sealed = sealTotals(settings, fresh, number, nonce, totals)
      const to = readerName(settings.channel.id, number, party.searchKey!)
      return { kind: 'told', epoch: number, to, key, nonce, sealed }
    })
  },
  open(scene, epoch, frame) {
    if (frame.kind !== 'marked') return undefined
    if (!isOurs(scene, epoch, frame.reader)) return 'other'
    const key = openKey(scene, epoch, frame.key)
    return key && openEvent(scene.settings, 'peks', key, frame)
  },
  openTotals(scene, epoch, frame) {
    if (frame.kind !== 'told') return undefined
    if (!isOurs(scene, epoch, frame.to)) return 'other'
    const key = openKey(scene, epoch, frame.key)
    return key && openTotals(scene.settings, key, frame.epoch, frame.nonce, frame.sealed)
  },
  names: () => [],
  searches,
}

function readersOf({ record }: OpenEpoch): KeyedParty[] {
  return record.parties.filter(({ reads }) => reads)
}

/** A fresh key, and the same sealed to one reader. */
function bodyKey({ settings, turn }: MemberScene, { record, keys }: OpenEpoch, { sealingKey }: KeyedParty) {
  const random = (length: number) => turn.bytes(length)
  const fresh = settings.rules.bodyKey(random(KEY_BYTES), keys.body)
  const words = framed(SEALED, settings.channel.id, record.number, fresh)
  return { fresh, key: settings.sealing.seal(sealingKey, words, random) }
}

function openKey({ settings }: MemberScene, { record }: OpenEpoch, sealed: Uint8Array): Uint8Array | undefined {
  const opened = settings.sealing.open(sealed)
  const key = opened?.slice(-KEY_BYTES)
  if (opened === undefined || key?.length !== KEY_BYTES) return undefined
  const whole = framed(SEALED, settings.channel.id, record.number, key)
  return whole.length === opened.length && whole.every((byte, place) => byte === opened[place]) ? key : undefined
}

function isOurs({ settings }: MemberScene, { record }: OpenEpoch, reader: Uint8Array): boolean {
  const { search, channel } = settings
  return (
    search !== undefined && lettersOf(readerName(channel.id, record.number, search.publicKey)) === lettersOf(reader)
  )
}

/** Our trapdoors in each epoch; nothing while some of them are still to be made. */
function searches(scene: MemberScene, epochs: readonly OpenEpoch[]): Frame[] | undefined {
  const { state, settings } = scene
  const { search, channel, rules } = settings
  if (search === undefined) return []
  const wanted = new Map<string, Uint8Array>()
  for (const { keywords } of state.subscriptions.values())
    for (const keyword of keywords) if (wanted.size < SEARCHED_MAX) wanted.set(mapKeyOf(keyword), keyword)
  let left = TRAPDOORS_MADE_MAX
  for (const { record, trapdoors } of epochs) {
    for (const name of [...trapdoors.keys()]) if (!wanted.has(name)) trapdoors.delete(name)
    for (const [name, keyword] of wanted) {
      if (trapdoors.has(name)) continue
      if (left-- === 0) return undefined
      trapdoors.set(name, search.trapdoor(searchWord(rules, channel.id, record.number, keyword)))
    }
  }
  return epochs.map(({ record, trapdoors }) => {
    const reader = readerName(channel.id, record.number, search.publicKey)
    return { kind: 'search', box: state.box, reader, trapdoors: [...trapdoors.values()] }
  })
}
