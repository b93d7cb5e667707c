// A subscription that begins within an epoch does not know how many events were before it. Writers are asked for their
// totals: what comes after these is followed. Of one that does not answer in time nobody knows, and the end of the epoch
// tells it: a broker that drops the answer could hide everything that follows until the next one.

import { encodeFrame } from '../wire.ts'
import { look } from './looking.ts'
import { currentEpoch, type MemberScene, toAll, wallNow } from './state.ts'

/** How often is asked, within the patience: many subscriptions may begin at once. */
const ASKS = 4

/** Somebody subscribes. */
export function ask(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const last = state.asks.at(-1)
  look(scene)
  state.askAgain = last !== undefined && turn.now < last.at + settings.patience / ASKS
  if (!state.askAgain) askNow(scene)
}

function askNow(scene: MemberScene): void {
  const { state, turn } = scene
  const epoch = currentEpoch(state, wallNow(scene))
  if (epoch?.keys === undefined) return
  state.asks.push({ epoch: epoch.record.number, at: turn.now, heard: new Set() })
  toAll(scene, { kind: 'send', name: state.names.records, body: encodeFrame({ kind: 'ask' }) })
}

/** Who did not answer in time is not known. Whether there is anything left to look at. */
export function lookAtAsks(scene: MemberScene): boolean {
  const { state, settings, turn } = scene
  if (state.askAgain) ask(scene)
  while (state.asks.length > 0 && settings.rules.tells(turn.now - state.asks[0]!.at, settings.patience)) {
    const { epoch: number, heard } = state.asks.shift()!
    const epoch = state.epochs.get(number)
    for (const name of epoch?.writers.keys() ?? []) if (!settings.rules.knows(heard.has(name))) epoch!.unsure.add(name)
  }
  return state.askAgain || state.asks.length > 0
}
