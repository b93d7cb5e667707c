// Events of one batch with the same tags travel together: one seal and one message a tag, where each alone would need its
// own. What the broker learns is no more: a message's length, in powers of two, where it would count messages.
//
// An event joins the last bundle of its tags only if nothing with one of its tags came in between. So events of one author
// and tag keep their order, and their numbers in a bundle follow each other.

import { lettersOf, mapKeyOf, tagOf } from '../keys.ts'
import { BUNDLE_BYTES_MAX, TAGS_KNOWN_MAX } from '../limits.ts'
import type { Epoch, Tag, Waiting } from './state.ts'

/** Events that are sealed together. */
export interface Bundle {
  readonly keywords: readonly Uint8Array[]
  readonly tags: readonly Tag[]
  /** With its place in the batch. */
  readonly events: (Waiting & { readonly place: number })[]
  bytes: number
}

/** The events of a batch in bundles, in the order of their first ones. */
export function bundled(epoch: Epoch, batch: readonly Waiting[]): Bundle[] {
  const bundles: Bundle[] = []
  const last = new Map<string, Bundle>()
  batch.forEach((one, place) => {
    const tags = one.keywords.map(keyword => tagFor(epoch, keyword))
    const known = last.get(tags[0]!.name)
    const joins =
      known !== undefined &&
      known.tags.length === tags.length &&
      known.bytes + one.content.length <= BUNDLE_BYTES_MAX &&
      tags.every(({ name }) => last.get(name) === known)
    const bundle = joins ? known : { keywords: one.keywords, tags, events: [], bytes: 0 }
    if (!joins) {
      bundles.push(bundle)
      for (const { name } of tags) last.set(name, bundle)
    }
    bundle.events.push({ ...one, place })
    bundle.bytes += one.content.length
  })
  return bundles
}

function tagFor({ tags, keys }: Epoch, keyword: Uint8Array): Tag {
  const key = mapKeyOf(keyword)
  const known = tags.get(key)
  if (known !== undefined) return known
  const bytes = tagOf(keys!, keyword)
  const tag = { bytes, name: lettersOf(bytes) }
  if (tags.size >= TAGS_KNOWN_MAX) tags.clear()
  tags.set(key, tag)
  return tag
}
