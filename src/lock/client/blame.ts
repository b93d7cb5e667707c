// Which words of a server prove that it lies, whatever the network does: messages may be late, twice and in another order,
// servers may have restarted and clocks drift. Each line is something that an honest server never says to this client.
// What only other clients could contradict (a yes to two of them) proves nothing here, and silence proves nothing at all.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import type { TryAnswer } from './answers.ts'
import { type Acquisition, type ClientScene, clockOf } from './state.ts'

/** The same is told again now and then: servers forget in a restart. */
const TELL_AGAIN: Millis = 60_000

/** An answer to the attempt under way, or to one that is over (`acquisition` undefined). */
export function blameAnswer(scene: ClientScene, from: NodeId, body: TryAnswer, acquisition?: Acquisition): void {
  const what = body.attempt > scene.state.attempts ? 'answered what was never asked' : lieIn(scene, body, acquisition)
  if (what !== undefined) blame(scene, from, what, body.name)
}

function lieIn(scene: ClientScene, body: TryAnswer, acquisition: Acquisition | undefined): string | undefined {
  const { settings, turn } = scene
  const clock = acquisition ?? scene.state.clock
  switch (body.kind) {
    case 'granted':
    case 'renewed':
    case 'given':
      if (body.token > scene.state.seen) return 'granted a token that was never asked for'
      if (acquisition === undefined) return undefined
      if (body.token !== acquisition.token) return 'granted another token than was asked for'
      // Not more than was asked: what was asked may have become less since (`extend`).
      if (body.held > settings.ttlMax) return 'granted for longer than the longest lease'
      return body.kind === 'given' && body.ping > acquisition.ping ? 'heard a ping that was never sent' : undefined
    case 'locked':
      return body.remaining > settings.ttlMax ? 'told of a lease beyond the longest there is' : undefined
    case 'tooLow':
      if (acquisition !== undefined && body.maximum < acquisition.token)
        return 'called a token too low that is above its own'
      // Twice as far as a server takes a token: our clock may be as wrong as that of the client it granted to. Also where the
      // others were quicker and the attempt is over: at a lock that is let go at once, that is nearly always so.
      return clock !== undefined && body.maximum > clockOf(clock, turn.now) + 2 * settings.tokenAheadMax * 1000
        ? 'claims a token that no clock explains (or it was spoiled: coterie unlock --reset-floor)'
        : undefined
    case 'queued':
      return acquisition !== undefined && body.ping > acquisition.ping ? 'heard a ping that was never sent' : undefined
    default:
      return undefined
  }
}

/** Asks a grant back that it cannot have made: we never asked under that token. */
export function blameInquiry(scene: ClientScene, from: NodeId, body: ServerMessage & { kind: 'inquire' }): void {
  if (body.token > scene.state.seen) blame(scene, from, 'asked a grant back that was never asked for', body.name)
}

// The map holds one entry for each server and kind of lie.
function blame({ state, settings, turn }: ClientScene, server: NodeId, what: string, name: string): void {
  if (!settings.accuses) return
  const key = `${server} ${what}`
  const told = state.blamed.get(key)
  if (told !== undefined && turn.now - told < TELL_AGAIN) return
  state.blamed.set(key, turn.now)
  if (told === undefined) turn.do({ kind: 'emit', event: { kind: 'lied', server, what, name } })
  for (const to of state.servers)
    if (to !== server) turn.do({ kind: 'send', to, body: { kind: 'complain', server, what, name } })
}
