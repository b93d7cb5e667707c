// RP_j of SR-secured (THESIS §6.2.3): draws the rewards of one phase and adds them under Comp's key. It sees no sum.
//
// Correction: the noise of a phase is added up before it is encrypted, once for each arm, so that the cost does not grow with the budget.

import { type NodeId, type Protocol, sameBytes } from '../../../core/index.ts'
import { openSigned, refuse, repeatStop, runDigest, type StoppedEvent, say } from '../../party.ts'
import type { BanditKeys, BanditSettings } from '../../settings.ts'
import type { BanditMessage } from '../../wire.ts'
import { armsOf, ensureSecret, phasesOf, Sums, takeModulus } from '../common.ts'
import { ORDER, searchCourse } from '../searching.ts'
import { noiseOf, noiseSum } from './noise.ts'
import { type DrawerScene, type DrawerState, type Drawing, drawerSnapshot, drawerTimers, newDrawer } from './state.ts'

/** RP_j as a protocol: it takes no commands. */
export type SearchDrawer = Protocol<DrawerState, BanditMessage, never, StoppedEvent>

/** The drawer of one phase of SR-secured. */
export function searchDrawer(settings: BanditSettings, keys: BanditKeys): SearchDrawer {
  const course = searchCourse(settings.run)
  const { arms } = settings.run
  return {
    name: 'search drawer',
    init: (self, _peers, saved) =>
      newDrawer(
        self,
        arms.findIndex(({ id }) => id === self),
        saved,
      ),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: drawerSnapshot(state) })
      const scene: DrawerScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, drawerTimers.due(input.name))
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: DrawerScene): void {
  ensureSecret(scene)
  onRepeat(scene)
}

function onMessage(scene: DrawerScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'sumKey':
      return onSumKey(scene, from, body)
    case 'values':
      return onValues(scene, from, body)
    case 'phase':
      return onPhase(scene, from, body)
    default:
      return
  }
}

function onTimer(scene: DrawerScene, { kind }: ReturnType<typeof drawerTimers.due>): void {
  if (scene.state.stopped !== '') return
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
    case 'work':
      return onWork(scene)
  }
}

/** What is missing is asked for; BAI repeats the rest. */
function onRepeat(scene: DrawerScene): void {
  const { state, settings, turn } = scene
  const { comparator, user } = settings.run
  if (state.stopped !== '' || (state.modulus.length > 0 && state.values.length > 0)) return
  if (state.modulus.length === 0) say(scene, comparator.id, { kind: 'want' })
  if (state.values.length === 0) say(scene, user.id, { kind: 'want' })
  drawerTimers.set(turn, 'repeat', settings.repeat)
}

function onSumKey(scene: DrawerScene, from: NodeId, { modulus }: BanditMessage & { kind: 'sumKey' }): void {
  takeModulus(scene, from, scene.settings.run.comparator.id, modulus)
  drawOn(scene)
}

function onValues(scene: DrawerScene, from: NodeId, body: BanditMessage & { kind: 'values' }): void {
  const { state, settings } = scene
  if (from !== settings.run.user.id || state.values.length > 0) return
  if (body.values.length !== armsOf(settings.run)) return refuse(scene, 'the owner left out an arm')
  state.values = body.values
  state.epsilon = body.epsilon
  drawOn(scene)
}

/** BAI's sums of its own phase; said again they are answered again. */
function onPhase(scene: DrawerScene, from: NodeId, { phase, sums, sealed }: BanditMessage & { kind: 'phase' }): void {
  const { state, settings, keys } = scene
  const { run } = settings
  if (from !== run.shuffler.id || phase !== state.phase) return
  const known = state.drawing
  if (known !== undefined) {
    const isSame = known.sums.length === sums.length && known.sums.every((sum, at) => sameBytes(sum, sums[at]!))
    if (!isSame) return refuse(scene, 'BAI sent two lists of sums for one phase')
    return known.added.length === sums.length ? sendAdded(scene, known) : drawOn(scene)
  }
  const order = openSigned(keys, run.shuffler, [ORDER, runDigest(keys.tools, run), phase, ...sums], sealed)
  const count = armsOf(run) - phase
  const isOrder = order?.length === count && new Set(order).size === count && order.every(arm => arm < armsOf(run))
  if (!isOrder || sums.length !== count) return refuse(scene, 'the order of a phase does not open')
  state.drawing = { sums, order, added: [], drawn: 0, noise: 0 }
  drawOn(scene)
}

function drawOn({ state, turn }: DrawerScene): void {
  const { drawing, modulus, values } = state
  if (drawing === undefined || modulus.length === 0 || values.length === 0) return
  if (drawing.added.length < drawing.sums.length) drawerTimers.set(turn, 'work', 0)
}

/** Rewards that are drawn between two looks at the others. */
const DRAWS_MAX = 65_536

function onWork(scene: DrawerScene): void {
  const { state, settings, keys } = scene
  const { drawing } = state
  if (drawing === undefined || drawing.added.length === drawing.sums.length) return
  const { pulls } = phasesOf(settings.run)[state.phase]!
  const place = drawing.added.length
  const arm = drawing.order[place]!
  const more = Math.min(DRAWS_MAX, pulls - drawing.drawn)
  if (more > 0) {
    const drawing53 = noiseOf(keys.tools, state.secret, state.phase, arm)
    drawing.noise += noiseSum(drawing53, state.epsilon, drawing.drawn, more)
    drawing.drawn += more
    if (drawing.drawn < pulls) return drawOn(scene)
  }
  const added = addTo(scene, drawing, pulls)
  if (added === undefined) return refuse(scene, 'a sum or a value is not under the key of Comp')
  drawing.added.push(added)
  drawing.drawn = 0
  drawing.noise = 0
  if (drawing.added.length < drawing.sums.length) drawOn(scene)
  else sendAdded(scene, drawing)
}

/** E(sum) · E(x)^n · E(noise). */
function addTo(scene: DrawerScene, { sums, order, added, noise }: Drawing, pulls: number): Uint8Array | undefined {
  const { state, keys } = scene
  state.sums ??= new Sums(keys.tools, state.secret, state.modulus)
  const place = added.length
  const arm = order[place]!
  const drawn = state.sums.encrypt(BigInt(noise), 'noise', state.phase, arm, sums[place]!)
  const fixed = pulls === 0 ? drawn : state.sums.times(state.values[arm]!, pulls)
  const both = pulls === 0 ? drawn : fixed && state.sums.add(fixed, drawn)
  return both && state.sums.add(sums[place]!, both)
}

function sendAdded(scene: DrawerScene, { added }: Drawing): void {
  const { state, settings } = scene
  const { shuffler, comparator } = settings.run
  const body: BanditMessage = { kind: 'added', phase: state.phase, sums: [...added] }
  say(scene, shuffler.id, body)
  say(scene, comparator.id, body)
}
