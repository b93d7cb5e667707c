// A server whose folder was put back from an old copy must not pass for one that remembers (protocols/lock 6).
//
// The obvious server believes its store. One that was copied back, or a `first-start` mark with no store beside it, says
// "nothing is out", and the server grants what it has granted to somebody else. It cannot see that by itself: the others
// must. So each life has a number; it grows with every start, and every few minutes, so that a copy is old soon after it was
// made. A server says it to the others, they write the largest one down, and b + 1 of them that have seen this number, or
// a larger one, are believed: one of them is honest. One liar can neither call a good store old nor an old one good.
//
// A number is left only when enough others have it on disk: otherwise a server that crashes before it was answered would
// walk past the numbers that were seen. Promises wait for the answers, and not for ever: with too few others there, a
// group that starts again must come up. What is told after that counts as well, from then on.

import { decode, encode, kthLargest, type Millis, type NodeId, type Saved } from '../../core/index.ts'
import { floorsNeeded } from '../../lock/rules.ts'
import {
  checkLives,
  type Lives,
  type LivesCommand,
  type LivesScene,
  type LivesSettings,
  type LivesState,
  livesRules,
  livesTimers,
} from './state.ts'
import { LIFE_MAX, type LivesMessage, livesRecord, MARKS } from './wire.ts'

/** For how long at most promises wait at a start: a few handshakes and answers. */
export const HOLD_MAX: Millis = 500
const HAIL_AGAIN: Millis = 50
const HAIL_AGAIN_MAX: Millis = 60_000
/** A copy of a running server's store is noticed when it is put back later than this. */
export const GROW_EVERY: Millis = 10 * 60 * 1000
/** New numbers of one server are written down this often at most: each is a write to disk. */
export const RAISE_EVERY: Millis = 200

export function lives(settings: LivesSettings): Lives {
  return {
    name: 'lives',
    init: livesFrom,
    step(state, input, turn) {
      const scene: LivesScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, livesTimers.due(input.name))
        case 'stop':
          return
      }
    },
    check: checkLives,
  }
}

function livesFrom(self: NodeId, servers: readonly NodeId[], saved: Saved): LivesState {
  const newest = saved.get('')?.at(-1)
  const decoded = newest === undefined ? undefined : decode(livesRecord, newest)
  const last = decoded?.ok ? decoded.value : { life: 0, mark: 0, known: true, seen: [] }
  const others = servers.filter(server => server !== self)
  const seen = last.seen.filter(({ server }) => others.includes(server))
  return {
    others,
    life: last.life,
    mark: last.mark,
    known: last.known,
    seen: new Map(seen.map(one => [one.server, { ...one, at: -RAISE_EVERY }])),
    welcomed: new Set(),
    older: new Map(),
    stage: 'asking',
    pause: HAIL_AGAIN,
  }
}

function onMessage(scene: LivesScene, from: NodeId, body: LivesMessage): void {
  if (!scene.state.others.includes(from)) return
  switch (body.kind) {
    case 'hail':
      return onHail(scene, from, body)
    case 'welcome':
      return onWelcome(scene, from, body)
    case 'older':
      return onOlder(scene, from, body)
  }
}

function onCommand(scene: LivesScene, body: LivesCommand): void {
  switch (body.kind) {
    case 'raise':
      return onRaise(scene)
  }
}

function onTimer(scene: LivesScene, { kind }: ReturnType<typeof livesTimers.due>): void {
  switch (kind) {
    case 'hail':
      return onHailTimer(scene)
    case 'hold':
      return onHold(scene)
    case 'grow':
      return onGrow(scene)
  }
}

function onStart(scene: LivesScene): void {
  const { state, turn } = scene
  if (state.known) begin(scene, state.life + 1)
  else hailAll(scene)
  livesTimers.set(turn, 'hold', HOLD_MAX)
  livesTimers.set(turn, 'grow', GROW_EVERY)
  goIfKnown(scene)
}

/** From here on under this number: on disk before anybody hears it. */
function begin(scene: LivesScene, life: number): void {
  const { state, turn } = scene
  state.life = Math.min(life, LIFE_MAX)
  state.mark = turn.below(MARKS)
  state.known = false
  state.welcomed.clear()
  state.older.clear()
  state.pause = HAIL_AGAIN
  save(scene)
  hailAll(scene)
}

function save({ state, turn }: LivesScene): void {
  const { life, mark, known } = state
  const seen = [...state.seen.values()].map(({ server, life, mark }) => ({ server, life, mark }))
  turn.do({ kind: 'snapshot', record: encode(livesRecord, { life, mark, known, seen }) })
}

function hailAll({ state, turn }: LivesScene): void {
  const { life, mark, welcomed, older, pause } = state
  const silent = state.others.filter(other => !welcomed.has(other) && !older.has(other))
  for (const to of silent) turn.do({ kind: 'send', to, body: { kind: 'hail', life, mark } })
  if (silent.length > 0) livesTimers.set(turn, 'hail', pause)
  state.pause = Math.min(pause * 2, HAIL_AGAIN_MAX)
}

function onHailTimer(scene: LivesScene): void {
  hailAll(scene)
}

function onHail(scene: LivesScene, from: NodeId, { life, mark }: LivesMessage & { kind: 'hail' }): void {
  const { state, turn } = scene
  const last = state.seen.get(from)
  const isSame = last?.life === life && last.mark === mark
  if (last !== undefined && life <= last.life && !isSame) {
    return turn.do({ kind: 'send', to: from, body: { kind: 'older', mark, life: last.life } })
  }
  if (!isSame) {
    if (last !== undefined && turn.now < last.at + RAISE_EVERY) return
    state.seen.set(from, { server: from, life, mark, at: turn.now })
    save(scene)
  }
  turn.do({ kind: 'send', to: from, body: { kind: 'welcome', mark } })
}

function onWelcome(scene: LivesScene, from: NodeId, { mark }: LivesMessage & { kind: 'welcome' }): void {
  const { state } = scene
  if (mark !== state.mark || state.older.has(from)) return
  state.welcomed.add(from)
  goIfKnown(scene)
}

/** As many as a server without a store must hear: those who saw the last holder's servers are among them. */
function goIfKnown(scene: LivesScene): void {
  const { state, settings } = scene
  const { others } = state
  const needed = Math.min(floorsNeeded(others.length + 1, settings.liars), others.length)
  if (state.known || state.welcomed.size < needed) return
  state.known = true
  save(scene)
  go(scene)
}

function onHold(scene: LivesScene): void {
  go(scene)
}

function go({ state, turn }: LivesScene): void {
  if (state.stage !== 'asking') return
  state.stage = 'going'
  livesTimers.cancel(turn, 'hold')
  turn.do({ kind: 'emit', event: { kind: 'go' } })
}

function onOlder({ state, settings, turn }: LivesScene, from: NodeId, said: LivesMessage & { kind: 'older' }): void {
  if (said.mark !== state.mark || said.life < state.life || state.welcomed.has(from)) return
  state.older.set(from, said.life)
  const needed = accusersNeeded(settings)
  if (state.stage === 'old' || state.older.size < needed) return
  state.stage = 'old'
  livesTimers.cancel(turn, 'hold')
  const seen = kthLargest([...state.older.values()], needed)
  turn.do({ kind: 'emit', event: { kind: 'old', life: state.life, seen, by: [...state.older.keys()] } })
}

function accusersNeeded({ liars, rules = livesRules }: LivesSettings): number {
  return rules.accusersNeeded(liars)
}

function onRaise(scene: LivesScene): void {
  const { state, settings, turn } = scene
  if (state.stage !== 'old') return
  state.stage = 'asking'
  begin(scene, kthLargest([...state.older.values()], accusersNeeded(settings)) + 1)
  livesTimers.set(turn, 'hold', HOLD_MAX)
}

function onGrow(scene: LivesScene): void {
  const { state, turn } = scene
  if (state.known && state.stage === 'going') begin(scene, state.life + 1)
  livesTimers.set(turn, 'grow', GROW_EVERY)
}
