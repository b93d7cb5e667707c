// Receiving: a frame is opened, its author and signature are looked at, and only then is its id marked as seen; then it is
// handed to the subscriptions that it matches. Numbers that were passed over are told as missed.

import { decodeContent } from '../../content.ts'
import { matches } from '../../filter.ts'
import { lettersOf } from '../keys.ts'
import { AHEAD_MAX, AUTHOR_SOURCES_MAX, FOLLOWED_MAX, SEEN_MAX, SOURCES_MAX } from '../limits.ts'
import type { KeyedParty } from '../record.ts'
import { areAuthors, isAuthors, type Sealed } from '../sealed.ts'
import type { Bundled, Frame, Inside, Life, MarkedEvent, SealedEvent, Totals } from '../wire.ts'
import { lookAtAsks } from './asking.ts'
import { look } from './looking.ts'
import { modes, type OpenEpoch, type SealedTotals } from './modes/index.ts'
import { type Epoch, type Followed, type MemberScene, type Seen, type Wanted, wallNow } from './state.ts'
import { wantedIn } from './wanting.ts'

/** The key of one life. */
export const lifeKey = ({ author, started, boot }: Life) => `${author} ${started} ${lettersOf(boot)}`

function drop({ turn }: MemberScene, why: string): void {
  turn.do({ kind: 'emit', event: { kind: 'dropped', why } })
}

/** The epoch of a frame, if it is still taken and we have its key. */
function epochOf(scene: MemberScene, number: number): OpenEpoch | undefined {
  const { state, settings } = scene
  const epoch = state.epochs.get(number)
  if (epoch?.keys === undefined) return undefined
  const next = state.epochs.get(number + 1)?.record.from ?? epoch.record.until
  const end = Math.min(epoch.record.until, next)
  if (!settings.rules.takesEpoch(end, settings.grace, wallNow(scene))) return undefined
  return epoch as OpenEpoch
}

/** The author, if it was a writer in the event's epoch and is one now. */
function writerOf({ state, settings }: MemberScene, epoch: Epoch, author: string): KeyedParty | undefined {
  const was = epoch.writers.get(author)
  const is = state.epochs.get(state.newest)!.writers.get(author)
  return settings.rules.believes(was !== undefined, is !== undefined) ? was : undefined
}

/** A bundle of events. */
export function onEvent(scene: MemberScene, frame: SealedEvent): void {
  take(scene, frame)
}

/** A bundle of events that is marked for one reader. */
export function onMarked(scene: MemberScene, frame: MarkedEvent): void {
  take(scene, frame)
}

function take(scene: MemberScene, frame: Sealed): void {
  const { settings } = scene
  const epoch = epochOf(scene, frame.epoch)
  if (epoch === undefined) return drop(scene, 'an event of an epoch that is not taken')
  const inside = modes[epoch.record.mode].open(scene, epoch, frame)
  if (inside === 'other') return
  if (inside === undefined) return drop(scene, 'an event that does not open')
  const party = writerOf(scene, epoch, inside.author)
  if (party === undefined) return drop(scene, 'an event of somebody who may not write')
  const life = lifeKey(inside)
  const counters = scene.state.seen.get(life)?.counters
  // Our own copy, or another carrier's: known, and not to be counted as somebody's repeat.
  const fresh = inside.events.filter(({ counter }) => counters?.has(counter) !== true)
  if (fresh.length === 0) return
  if (!isAuthors(settings, party.signingKey, frame.epoch, inside, scene.state.verified))
    return drop(scene, 'an event that its author did not sign')
  const taken = mark(scene, life, frame.epoch, fresh)
  if (taken.length < fresh.length) drop(scene, 'an event that is older than what is kept')
  if (taken.length === 0) return
  const wanted = wantedIn(scene.state, epoch)
  note(scene, epoch, inside, { taken, wanted })
  handOver(scene, inside, taken, wanted)
}

/** Marks ids as seen; without those that are below what is kept. */
function mark(scene: MemberScene, life: string, epoch: number, fresh: readonly Bundled[]): readonly Bundled[] {
  const { state, turn } = scene
  let seen = state.seen.get(life)
  if (seen === undefined) {
    seen = { epoch, floor: 0, counters: new Map() }
    // Refused rather than forgotten: a forgotten one could be repeated.
    if (state.seen.size >= SOURCES_MAX || livesOf(state.seen, life) >= AUTHOR_SOURCES_MAX) return []
    state.seen.set(life, seen)
  }
  seen.epoch = Math.max(seen.epoch, epoch)
  const { floor, counters } = seen
  const taken = fresh.filter(({ counter }) => counter > floor)
  for (const { counter } of taken) {
    counters.set(counter, turn.now)
    if (counters.size > SEEN_MAX) forgetOldest(scene, seen)
  }
  look(scene)
  return taken
}

/** Lives of the author of this one. A new one is rare: they are counted when one comes. */
function livesOf(seen: ReadonlyMap<string, unknown>, life: string): number {
  const author = authorOf(life)
  let lives = 0
  for (const other of seen.keys()) if (authorOf(other) === author) lives++
  return lives
}

function authorOf(life: string): string {
  return life.slice(0, life.lastIndexOf(' ', life.lastIndexOf(' ') - 1))
}

function forgetOldest({ settings }: MemberScene, seen: Seen): void {
  const [oldest] = seen.counters.keys()
  seen.counters.delete(oldest!)
  seen.floor = settings.rules.floorAfter(seen.floor, oldest!)
}

function handOver(
  { state, turn }: MemberScene,
  { author, started, boot, tags }: Inside,
  events: readonly Bundled[],
  wanted: ReadonlyMap<string, Wanted>,
): void {
  const ids = new Set(tags.flatMap(tag => wanted.get(lettersOf(tag))?.ids ?? []))
  if (ids.size === 0) return
  const life = { author, started, boot }
  for (const { counter, content } of events) {
    const decoded = decodeContent(content)
    if (!decoded.ok) continue
    for (const id of ids) {
      if (!matches(state.subscriptions.get(id)!.filter, decoded.value.attributes)) continue
      turn.do({ kind: 'emit', event: { kind: 'handed', id, life, counter, content: decoded.value } })
    }
  }
}

/** What of a bundle is taken, and who listens on which tags. */
interface Noted {
  readonly taken: readonly Bundled[]
  readonly wanted: ReadonlyMap<string, Wanted>
}

/** Which numbers of the tags that we listen on have come. */
function note(scene: MemberScene, epoch: Epoch, inside: Inside, { taken, wanted }: Noted): void {
  const { events, tags, numbers } = inside
  // What is refused as too old did not come, though its bundle did.
  const isTaken = taken.length === events.length ? undefined : new Set(taken)
  tags.forEach((tag, place) => {
    const name = lettersOf(tag)
    const first = numbers[place]!
    const since = wanted.get(name)?.since
    if (since === undefined || first === 0) return
    const followed = follow(scene, epoch, inside, name, { since, number: first })
    if (followed === undefined) return
    if (isTaken === undefined) noteAll(scene, followed, first, events.length)
    for (const [at, event] of events.entries()) if (isTaken?.has(event)) noteAll(scene, followed, first + at, 1)
    raise(scene, followed, first + events.length - 1)
    advance(scene, followed)
  })
}

function noteAll(scene: MemberScene, followed: Followed, first: number, count: number): void {
  const last = first + count - 1
  const next = Math.max(first, followed.through + 1)
  // The usual way: nothing is missing, and these are the next.
  if (next === followed.through + 1 && followed.ahead.size === 0) followed.through = Math.max(followed.through, last)
  for (let number = next; number <= last && followed.through < number; number++) {
    if (followed.ahead.size >= AHEAD_MAX) tellFirst(scene, followed)
    if (followed.ahead.size < AHEAD_MAX) followed.ahead.set(number, scene.turn.now)
  }
}

/** From where numbers are followed: from the first where we listened before it, else from what came first. */
function follow(
  { state }: MemberScene,
  { record, unsure, toldAt }: Epoch,
  life: Life,
  name: string,
  { since, number }: { since: number; number: number },
): Followed | undefined {
  const who = lifeKey(life)
  const key = `${record.number} ${name} ${who}`
  const known = state.followed.get(key)
  if (known !== undefined) return known
  if (state.followed.size >= FOLLOWED_MAX) {
    unsure.add(life.author)
    return undefined
  }
  // What told its totals while we listened, and had none of this tag, began to count it later.
  const fromFirst = since <= record.from || since <= life.started || since <= (toldAt.get(who) ?? 0)
  const through = fromFirst ? 0 : number - 1
  const fresh: Followed = {
    author: life.author,
    life: who,
    tag: name,
    epoch: record.number,
    through,
    ahead: new Map(),
    most: through,
    mostAt: 0,
  }
  state.followed.set(key, fresh)
  return fresh
}

function raise({ turn }: MemberScene, followed: Followed, most: number): void {
  if (most <= followed.most) return
  followed.most = most
  followed.mostAt = turn.now
}

function advance(scene: MemberScene, followed: Followed): void {
  while (followed.ahead.delete(followed.through + 1)) followed.through++
  look(scene)
}

/** Since when it shows that the next number is missing; nothing where none is. */
function missingSince({ through, most, mostAt, ahead }: Followed): number | undefined {
  if (through >= most) return undefined
  return Math.min(mostAt, ...ahead.values())
}

/** How many events an author has sent. */
export function onTotals(scene: MemberScene, frame: Frame & { kind: 'totals' }): void {
  count(scene, frame)
}

/** The same, for one reader. */
export function onTold(scene: MemberScene, frame: Frame & { kind: 'told' }): void {
  count(scene, frame)
}

function count(scene: MemberScene, frame: SealedTotals): void {
  const { settings } = scene
  const { epoch: number } = frame
  const epoch = epochOf(scene, number)
  if (epoch === undefined) return drop(scene, 'totals of an epoch that is not taken')
  const totals = modes[epoch.record.mode].openTotals(scene, epoch, frame)
  if (totals === 'other') return
  const party = totals && writerOf(scene, epoch, totals.author)
  if (totals === undefined || party === undefined) return drop(scene, 'totals that do not open')
  if (!areAuthors(settings, party.signingKey, number, totals))
    return drop(scene, 'totals that their author did not sign')
  const wanted = wantedIn(scene.state, epoch)
  totals.tags.forEach((tag, place) => {
    const name = lettersOf(tag)
    const since = wanted.get(name)?.since
    if (since === undefined) return
    const most = totals.numbers[place]!
    const followed = follow(scene, epoch, totals, name, { since, number: most + 1 })
    if (followed === undefined || most <= followed.most) return
    raise(scene, followed, most)
    advance(scene, followed)
  })
  heard(scene, epoch, totals)
}

function heard(scene: MemberScene, epoch: Epoch, { closes, ...life }: Totals): void {
  const { record, toldAt, closedBy, closers, unsure } = epoch
  const who = lifeKey(life)
  if (!toldAt.has(who) && (toldAt.size >= SOURCES_MAX || livesOf(toldAt, who) >= AUTHOR_SOURCES_MAX))
    return void unsure.add(life.author)
  toldAt.set(who, wallNow(scene))
  for (const ask of scene.state.asks) if (ask.epoch === record.number) ask.heard.add(life.author)
  if (!closes) return
  closedBy.add(who)
  // A life that began within the epoch may have followed another, whose last words nobody counted.
  if (life.started <= record.from) closers.add(life.author)
}

/** What is missing for too long is told; ids that are old are no longer kept one by one. */
export function onLook(scene: MemberScene): void {
  const { state, settings, turn } = scene
  let isBusy = false
  state.looking = false
  for (const followed of state.followed.values()) {
    let since = missingSince(followed)
    while (since !== undefined && settings.rules.tells(turn.now - since, settings.patience)) {
      tell(scene, followed)
      since = missingSince(followed)
    }
    if (since !== undefined) isBusy = true
  }
  for (const seen of state.seen.values()) {
    for (const [counter, at] of seen.counters) {
      if (at + settings.window > turn.now) break
      seen.counters.delete(counter)
      seen.floor = settings.rules.floorAfter(seen.floor, counter)
    }
    if (seen.counters.size > 0) isBusy = true
  }
  if (lookAtAsks(scene)) isBusy = true
  if (isBusy) look(scene)
}

/** What came beyond a gap has no room any more: the gap is told now, or what came would be told as missing later. */
function tellFirst(scene: MemberScene, followed: Followed): void {
  const { rules, patience } = scene.settings
  if (rules.tells(patience, patience)) tell(scene, followed)
}

/** Everything that is missing, without any more patience. */
export function tellRest(scene: MemberScene, followed: Followed): void {
  const { rules, patience } = scene.settings
  while (followed.through < followed.most && rules.tells(patience, patience)) tell(scene, followed)
}

/** The numbers up to the next one that is there. */
function tell(scene: MemberScene, followed: Followed): void {
  const { author, epoch, through, ahead, most } = followed
  const next = Math.min(...ahead.keys(), most + 1)
  scene.turn.do({ kind: 'emit', event: { kind: 'missed', author, epoch, from: through + 1, to: next - 1 } })
  followed.through = next - 1
  advance(scene, followed)
}
