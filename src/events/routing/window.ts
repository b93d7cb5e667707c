// Which events were seen: exactly for a while, and then only up to which counter. What is older is refused, for nobody knows
// whether it was handed over.

import { encode, type NodeId, toHex } from '../../core/index.ts'
import { isSigned } from '../signed.ts'
import { type Item, itemCodec, type Source } from '../wire.ts'
import { LIVES_MAX, WINDOW_MAX } from './limits.ts'
import type { Life, Overlay, RoutingScene, Seen } from './state.ts'

/** What became of a copy of an event. */
export type Verdict = 'new' | 'known' | 'repeat' | 'late' | 'forged' | 'unknown author'

function livesOf({ state }: RoutingScene, author: string): Map<string, Life> {
  const lives = state.seen.get(author) ?? new Map<string, Life>()
  state.seen.set(author, lives)
  return lives
}

function lifeOf(lives: Map<string, Life>, boot: string): Life {
  const life: Life = lives.get(boot) ?? { floor: 0, counters: new Map() }
  lives.set(boot, life)
  if (lives.size > LIVES_MAX) lives.delete(lives.keys().next().value!)
  return life
}

/** The place of a tree in what an event has passed. What comes outside the trees has none. */
export function bitOf({ slot }: Overlay, tree: number): number {
  return 1 << (slot * 8 + tree)
}

/** Whether this copy is the first of its event, the first in its tree (of this bit), or one to be dropped. Only what is signed is noted. */
export function judge(scene: RoutingScene, bit: number, source: Source, item: Item): Verdict {
  const { state, settings, turn } = scene
  const life = state.seen.get(source.author)?.get(source.boot)
  const seen = life?.counters.get(item.counter)
  if (seen === undefined && item.counter <= (life?.floor ?? 0)) return 'late'
  const seal = toHex(settings.hash(encode(itemCodec, item)))
  if (seen?.seal !== seal) {
    const verdict = verify(scene, source, item)
    if (verdict !== undefined) return verdict
  }
  if (seen === undefined) {
    note(scene, source, item.counter, { at: turn.now, seal, passed: bit, handed: false })
    return 'new'
  }
  if ((seen.passed & bit) !== 0) return 'repeat'
  seen.passed |= bit
  return 'known'
}

function verify({ state, settings }: RoutingScene, source: Source, item: Item): Verdict | undefined {
  const { rules, hash, group, signatures } = settings
  if (!rules.verifiesFirst()) return undefined
  const key = state.keys.get(source.author)
  if (key === undefined) return 'unknown author'
  const keys = { signatures, keyOf: () => key }
  return isSigned({ hash, group, liars: 1, keys }, source, NOBODY, item) ? undefined : 'forged'
}

const NOBODY = new Uint8Array()

/** An event of our own, in all trees that it goes out in. */
export function noteOwn(scene: RoutingScene, overlays: readonly Overlay[], source: Source, item: Item): void {
  let passed = 0
  for (const overlay of overlays) for (let tree = 0; tree < overlay.trees; tree++) passed |= bitOf(overlay, tree)
  const seal = toHex(scene.settings.hash(encode(itemCodec, item)))
  note(scene, source, item.counter, { at: scene.turn.now, seal, passed, handed: false })
}

function note(scene: RoutingScene, { author, boot }: Source, counter: number, seen: Seen): void {
  const lives = livesOf(scene, author)
  lifeOf(lives, boot).counters.set(counter, seen)
  const sizes = [...lives.values()].map(({ counters }) => counters.size)
  if (sizes.reduce((sum, size) => sum + size, 0) <= WINDOW_MAX) return
  const fullest = [...lives.values()][sizes.indexOf(Math.max(...sizes))]!
  forget(scene, fullest, fullest.counters.keys().next().value!)
}

function forget({ settings }: RoutingScene, life: Life, counter: number): void {
  life.counters.delete(counter)
  life.floor = settings.rules.floorAfter(life.floor, counter)
}

/** Forgets what is older than the window. */
export function forgetOld(scene: RoutingScene): void {
  const { state, settings, turn } = scene
  for (const lives of state.seen.values()) {
    for (const life of lives.values()) {
      for (const [counter, { at }] of life.counters) {
        if (turn.now - at < settings.window) break
        forget(scene, life, counter)
      }
    }
  }
}

/** What is known of an event: `old` where it is too long ago to say. */
export function knownOf(
  { state }: RoutingScene,
  author: NodeId,
  boot: string,
  counter: number,
): Seen | 'old' | undefined {
  const life = state.seen.get(author)?.get(boot)
  return life?.counters.get(counter) ?? (counter <= (life?.floor ?? 0) ? 'old' : undefined)
}
