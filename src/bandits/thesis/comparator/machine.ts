// Comp of SR-secured (THESIS §6.2.3): opens the sums of a phase, which have no names, and tells BAI the place of the lowest.

import type { NodeId, Protocol } from '../../../core/index.ts'
import { drawnBytes, refuse, repeatStop, type StoppedEvent, say } from '../../party.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import type { UserEvent } from '../../user/state.ts'
import type { BanditMessage } from '../../wire.ts'
import { armsOf, ensureSecret, type PrimesCommand, type PrimesEvent } from '../common.ts'
import { searchCourse } from '../searching.ts'
import { keepPrimes, openedSums } from '../user/state.ts'
import { type HolderScene, type HolderState, holderSnapshot, newHolder } from './state.ts'

/** Comp as a protocol. */
export type SearchComparator = Protocol<
  HolderState,
  BanditMessage,
  PrimesCommand,
  UserEvent | PrimesEvent | StoppedEvent
>

/** Comp of a run of SR-secured. */
export function searchComparator(settings: BanditSettings, keys: BanditKeys): SearchComparator {
  const course = searchCourse(settings.run)
  return {
    name: 'search comparator',
    init: (self, _peers, saved) => newHolder(self, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: holderSnapshot(state) })
      const scene: HolderScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: HolderScene): void {
  ensureSecret(scene)
  if (scene.state.p.length === 0) scene.turn.do({ kind: 'emit', event: { kind: 'primes' } })
}

function onCommand(scene: HolderScene, body: PrimesCommand): void {
  switch (body.kind) {
    case 'primes':
      return onPrimes(scene, body)
  }
}

function onMessage(scene: HolderScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'want':
      return onWant(scene, from)
    case 'added':
      return onAdded(scene, from, body)
    default:
      return
  }
}

function onPrimes(scene: HolderScene, body: PrimesCommand): void {
  const { user, shuffler, arms } = scene.settings.run
  keepPrimes(scene, body)
  for (const { id } of [user, shuffler, ...arms]) sendKey(scene, id)
}

function sendKey(scene: HolderScene, to: NodeId): void {
  const sums = openedSums(scene)
  if (sums !== undefined) say(scene, to, { kind: 'sumKey', modulus: sums.modulus })
}

function onWant(scene: HolderScene, from: NodeId): void {
  const { user, shuffler, arms } = scene.settings.run
  if ([user, shuffler, ...arms].some(({ id }) => id === from)) sendKey(scene, from)
}

/** From the drawer of that phase. The same sums have the same answer, whenever they come. */
function onAdded(scene: HolderScene, from: NodeId, { phase, sums }: BanditMessage & { kind: 'added' }): void {
  const { settings } = scene
  const { arms, shuffler } = settings.run
  if (arms[phase]?.id !== from) return
  const opening = openedSums(scene)
  if (opening === undefined) return
  const values = sums.map(sum => opening.decrypt(sum))
  if (values.length !== armsOf(settings.run) - phase || values.some(value => value === undefined)) {
    return refuse(scene, 'a drawer sent no sums under the key of Comp')
  }
  say(scene, shuffler.id, { kind: 'worst', phase, place: lowest(scene, phase, values as bigint[]) })
}

/** Of several lowest any one, by chance. */
function lowest({ state, keys }: HolderScene, phase: number, values: readonly bigint[]): number {
  let [least] = values as readonly [bigint]
  for (const value of values) if (value < least) least = value
  const places = values.flatMap((value, place) => (value === least ? [place] : []))
  const drawn = drawnBytes(keys.tools, state.secret, ['lowest', phase, String(values)], 8)
  return places[Number(new DataView(drawn.buffer).getBigUint64(0) % BigInt(places.length))]!
}
