// What another server holds and this one lacks, until it is here.
//
// The obvious way stays at a page of that server's heads until all of it is here. Of an author that has no room here nothing is
// taken: 256 of its lives, or one life of each of 256 authors, fill a page for ever, and whatever comes behind them is never
// asked for. So pages are read on, and what is lacking is noted, in a share of each server's own, and asked for again at each of
// its turns: an author after the other, so that one with many lives delays nobody, and of one without room a single range now
// and then. What has to go, for want of room in the share or because it is never shown, is found again: all heads are read anew.

import type { Millis, NodeId } from '../../core/index.ts'
import { HEADS_MAX, type Head, type Source, sourceKey } from '../wire.ts'
import type { Lacking, LackingAuthor, Other, ServerScene } from './state.ts'

/** Of a source beside its name: its place in two maps. */
const ENTRY_BYTES = 300
/** In beats: how often one range is asked for of an author that had no room. */
export const FULL_BEATS = 100
/** How often a source is asked for that never comes nearer: it was cut there, or is invented. */
export const TRIES_MAX = 300
/** In beats: how long after something had to go all heads are read anew, at the soonest. */
const AGAIN_BEATS = 600
/** Of so many authors the one with most gives way: to look at all would take long where one server invents them. */
const COMPARED_MAX = 64

/** Of a server of which nothing is known. */
export function newOther(now: Millis): Other {
  return { epoch: '', mark: 0, heard: now, lacking: { bytes: 0, authors: new Map(), again: false, readAt: now } }
}

/** Whether more of it is held there than here. */
function isLacking({ state }: ServerScene, head: Source & { readonly counter: number }): boolean {
  const stream = state.streams.get(sourceKey(head))
  return head.counter > (stream?.held ?? 0) && !stream?.terms.live
}

/** Notes what is lacking of what a server tells. */
export function note(scene: ServerScene, { lacking }: Other, heads: readonly Head[]): void {
  const { rules, shareBytesMax } = scene.settings
  for (const { channel, author, boot, counter } of heads) {
    const one = { channel, author, boot, counter, held: 0, tries: 0 }
    const key = sourceKey(one)
    const known = lacking.authors.get(author)?.sources.get(key)
    if (known !== undefined) known.counter = Math.max(known.counter, counter)
    if (known !== undefined || !isLacking(scene, one)) continue
    const its: LackingAuthor = lacking.authors.get(author) ?? { sources: new Map(), full: undefined }
    lacking.authors.set(author, its)
    its.sources.set(key, one)
    lacking.bytes += ENTRY_BYTES + key.length
    while (!rules.mayKeep(lacking.bytes, shareBytesMax)) giveWay(lacking)
  }
}

/** The first of the author that has most, of some. */
function giveWay(lacking: Lacking): void {
  let [most, count] = ['', 0]
  let looked = 0
  for (const [author, { sources }] of lacking.authors) {
    if (sources.size > count) [most, count] = [author, sources.size]
    if (++looked >= COMPARED_MAX) break
  }
  lacking.again = true
  forget(lacking, most, lacking.authors.get(most)!.sources.keys().next().value!)
}

function forget(lacking: Lacking, author: string, key: string): void {
  const its = lacking.authors.get(author)
  if (its?.sources.delete(key) !== true) return
  lacking.bytes -= ENTRY_BYTES + key.length
  if (its.sources.size === 0) lacking.authors.delete(author)
}

/** What is asked for now: one source of each author, then another of each, as many as a page has heads. */
export function wantedNow(scene: ServerScene, { lacking }: Other): Source[] {
  const wanted: Source[] = []
  const asked = new Set<Source>()
  for (let before = -1; before < wanted.length && wanted.length < HEADS_MAX; ) {
    before = wanted.length
    for (const author of [...lacking.authors.keys()]) {
      if (wanted.length >= HEADS_MAX) break
      const one = nextOf(scene, lacking, author, asked)
      if (one === undefined) continue
      asked.add(one)
      wanted.push({ channel: one.channel, author, boot: one.boot })
    }
  }
  return wanted
}

/** The next source of this author that is still lacking, and its author behind all others. */
function nextOf(scene: ServerScene, lacking: Lacking, author: string, asked: ReadonlySet<Source>) {
  const { settings, turn } = scene
  const its = lacking.authors.get(author)
  if (its === undefined) return undefined
  const isFull = its.full !== undefined
  if (isFull && turn.now - its.full! < FULL_BEATS * settings.beat) return undefined
  for (const [key, one] of its.sources) {
    if (asked.has(one)) return undefined
    if (!isLacking(scene, one) || isGivenUp(scene, lacking, one)) {
      forget(lacking, author, key)
      continue
    }
    its.sources.delete(key)
    its.sources.set(key, one)
    if (isFull) its.full = turn.now
    lacking.authors.delete(author)
    lacking.authors.set(author, its)
    return one
  }
  return undefined
}

function isGivenUp({ state }: ServerScene, lacking: Lacking, one: Source & { held: number; tries: number }): boolean {
  const held = state.streams.get(sourceKey(one))?.held ?? 0
  one.tries = held > one.held ? 0 : one.tries + 1
  one.held = held
  if (one.tries <= TRIES_MAX) return false
  lacking.again = true
  return true
}

/** What came of an author: whether there was room for it. */
export function cameOf({ state, turn }: ServerScene, from: NodeId, { author }: Source, hadRoom: boolean): void {
  const its = state.heard.get(from)?.lacking.authors.get(author)
  if (its !== undefined) its.full = hadRoom ? undefined : turn.now
}

/** From where the heads of a server are read: from the first, where something had to go and it was long ago. */
export function markOf({ settings, turn }: ServerScene, other: Other): number {
  const { lacking } = other
  if (!lacking.again || turn.now - lacking.readAt < AGAIN_BEATS * settings.beat) return other.mark
  lacking.again = false
  lacking.readAt = turn.now
  other.mark = 0
  return 0
}
