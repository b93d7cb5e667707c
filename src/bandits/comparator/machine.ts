// The comparator: opens the boxes of a round, sees which slot has the larger number and by no means how large it is, and
// answers each slot with one of its two tokens. Slots are new in every attempt, so its view is random whatever the arms
// are worth.

import { decode, type NodeId, type Protocol, sameBytes } from '../../core/index.ts'
import type { Sealing } from '../../crypto/index.ts'
import { VERDICT, verdictOf } from '../answers.ts'
import { type BoxContent, openBox, openedByArms } from '../box.ts'
import { compareTags, TIE_BITS } from '../encoding.ts'
import { boxesKey, shareAbout } from '../keys.ts'
import { liveCount, mayLose } from '../lost.ts'
import {
  boundTo,
  digest,
  drawn,
  NOTHING,
  openSigned,
  refuse,
  repeatStop,
  type StoppedEvent,
  say,
  signAndSeal,
} from '../party.ts'
import { scheduleOf } from '../schedule.ts'
import type { BanditKeys, BanditSettings, BanditTools } from '../settings.ts'
import { type BanditMessage, KEY_BYTES, shareCodec } from '../wire.ts'
import {
  type ComparatorScene,
  type ComparatorState,
  comparatorSnapshot,
  comparatorTimers,
  newComparator,
} from './state.ts'

/** A comparator as a protocol: it takes no commands. */
export type BanditComparator = Protocol<ComparatorState, BanditMessage, never, StoppedEvent>

type BoxesMessage = BanditMessage & { kind: 'boxes' }

/** The comparator of a private run. */
export function banditComparator(settings: BanditSettings, keys: BanditKeys): BanditComparator {
  const course = scheduleOf(settings.run)
  return {
    name: 'bandit comparator',
    init: (self, _peers, saved) => newComparator(self, settings.run.arms.length, saved),
    step(state, input, turn) {
      const save = () => turn.do({ kind: 'snapshot', record: comparatorSnapshot(state) })
      const scene: ComparatorScene = { state, settings, turn, keys, course, save }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, comparatorTimers.due(input.name))
        case 'command':
        case 'stop':
          return
      }
    },
  }
}

function onStart(scene: ComparatorScene): void {
  const { state, turn, settings } = scene
  if (state.secret.length === 0) {
    state.secret = turn.bytes(KEY_BYTES)
    scene.save()
  }
  for (const { id } of settings.run.arms) sendRunKey(scene, id)
  comparatorTimers.set(turn, 'repeat', settings.repeat)
}

function onMessage(scene: ComparatorScene, from: NodeId, body: BanditMessage): void {
  if (scene.state.stopped !== '') return repeatStop(scene, from, body)
  switch (body.kind) {
    case 'want':
      return onWant(scene, from)
    case 'share':
      return onShare(scene, from, body)
    case 'boxes':
      return onBoxes(scene, from, body)
    default:
      return
  }
}

function onTimer(scene: ComparatorScene, { kind }: ReturnType<typeof comparatorTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
  }
}

/** Parts that have not come are asked for; an arm that has not our key says so itself. */
function onRepeat(scene: ComparatorScene): void {
  const { state, settings, turn } = scene
  const missing = settings.run.arms.filter((_, place) => state.shares[place]!.length === 0)
  if (missing.length === 0 || state.stopped !== '') return
  for (const { id } of missing) say(scene, id, { kind: 'want' })
  comparatorTimers.set(turn, 'repeat', settings.repeat)
}

/** The last key of a run that was asked for: making it costs more than using it. */
const made = new WeakMap<BanditTools, { readonly secret: Uint8Array; readonly sealing: Sealing }>()
/** The word that says it, by the state of the comparator that says it: signed once in a life. */
const signed = new WeakMap<ComparatorState, BanditMessage & { kind: 'runKey' }>()

function runSealing({ state, keys }: ComparatorScene): Sealing {
  const { tools } = keys
  const known = made.get(tools)
  if (known !== undefined && sameBytes(known.secret, state.secret)) return known.sealing
  const sealing = tools.sealing.of(drawn(tools, state.secret, 'key of the run'))
  made.set(tools, { secret: state.secret, sealing })
  return sealing
}

function runOf(scene: ComparatorScene): Uint8Array {
  return boundTo(scene.keys.tools, scene.settings.run, runSealing(scene).publicKey)
}

function sendRunKey(scene: ComparatorScene, to: NodeId): void {
  const { publicKey } = runSealing(scene)
  const body = signed.get(scene.state) ?? { kind: 'runKey', publicKey, signature: scene.keys.signer.sign(runOf(scene)) }
  signed.set(scene.state, body)
  say(scene, to, body)
}

function onWant(scene: ComparatorScene, from: NodeId): void {
  const { arms, user } = scene.settings.run
  if ([user, ...arms].some(({ id }) => id === from)) sendRunKey(scene, from)
}

function onShare(scene: ComparatorScene, from: NodeId, { sealed }: BanditMessage & { kind: 'share' }): void {
  const { state, settings, keys } = scene
  const place = settings.run.arms.findIndex(({ id }) => id === from)
  if (place < 0 || state.shares[place]!.length > 0) return
  const about = shareAbout(runOf(scene), from, state.self)
  const content = openSigned(keys, settings.run.arms[place]!, about, sealed)
  const share = content && decode(shareCodec, content)
  if (!share?.ok || share.value.boxes.length !== KEY_BYTES) return
  state.shares[place] = share.value.boxes
  scene.save()
}

/** One answer for a round, and the same again whenever it is asked for, in whatever attempt. */
function onBoxes(scene: ComparatorScene, from: NodeId, body: BoxesMessage): void {
  const { state, settings, keys, course } = scene
  const { round, attempt, boxes } = body
  if (from !== settings.run.shuffler.id || state.shares.some(share => share.length === 0)) return
  if (round < state.answered) return
  const found = digest(keys.tools, 'boxes', ...boxes)
  if (round === state.answered && !(settings.rules.comparesAgain() && attempt > state.attempt)) {
    const isSame = attempt !== state.attempt || sameBytes(found, state.digest)
    return isSame ? sendTokens(scene) : refuse(scene, 'the shuffler sent two sets of boxes in one attempt')
  }
  if (round > state.answered + 1 || round >= course.rounds) return refuse(scene, 'the shuffler skipped a round')
  if (state.again?.round === round && attempt <= state.again.attempt) return sendAgain(scene, state.again)
  if (!mayLose(settings.run, state.lost, body.lost)) return refuse(scene, 'the shuffler left out an arm')
  const opened = openAll(scene, body)
  if (opened === undefined) return
  state.lost = body.lost
  if (opened.some(({ late }) => late)) {
    state.again = { round, attempt }
    return sendAgain(scene, state.again)
  }
  const compared = compareTags(
    opened.map(({ tags }) => tags),
    course.bits + TIE_BITS,
  )
  if ('refusal' in compared) return refuse(scene, compared.refusal)
  answer(scene, body, opened, compared.ranks)
  state.digest = found
  scene.save()
  sendTokens(scene)
}

function sendAgain(
  scene: ComparatorScene,
  { round, attempt }: { readonly round: number; readonly attempt: number },
): void {
  say(scene, scene.settings.run.shuffler.id, { kind: 'again', round, attempt })
}

function openAll(scene: ComparatorScene, { round, attempt, boxes, lost }: BoxesMessage): BoxContent[] | undefined {
  const { state, settings, keys, course } = scene
  const slots = liveCount(settings.run.arms.length, lost)
  state.keys ??= { run: runOf(scene), boxes: boxesKey(keys.tools, runOf(scene), state.shares) }
  const { run, boxes: key } = state.keys
  const sealing = settings.rules.sealedTo(runSealing(scene), () => openedByArms(keys.tools, key))
  const opened: BoxContent[] = []
  for (const [slot, sealed] of boxes.entries()) {
    const place = { run, round, attempt, slot: settings.rules.boundSlot(slot) }
    const tags = (slots - 1) * (course.bits + TIE_BITS)
    const content = openBox(sealing, keys.tools, key, place, { sealed, tags })
    if (content !== undefined) opened.push(content)
  }
  if (boxes.length !== slots || opened.length !== slots) {
    refuse(scene, 'a box does not open, or is not for its slot')
    return undefined
  }
  if (opened.some(({ check }) => !sameBytes(check, opened[0]!.check)) && !settings.rules.playsWithOtherKeys()) {
    refuse(scene, 'the arms have different keys')
    return undefined
  }
  return opened
}

function answer(
  scene: ComparatorScene,
  body: BoxesMessage,
  opened: readonly BoxContent[],
  ranks: readonly number[],
): void {
  const { state, settings, keys, course } = scene
  const { stay } = course.at(body.round)!
  const wins = settings.rules.wins(ranks, stay)
  state.answered = body.round
  state.attempt = body.attempt
  state.tokens = opened.map(({ win, lose }, slot) => (wins[slot] ? win : lose))
  state.verdict = NOTHING
  if (course.policy !== undefined || body.round !== course.rounds - 1) return
  const run = runOf(scene)
  const content = verdictOf(keys.tools, run, state.tokens[wins.indexOf(true)]!)
  state.verdict = signAndSeal(keys, state.secret, settings.run.user, { about: [VERDICT, run], content })
}

function sendTokens(scene: ComparatorScene): void {
  const { state, settings } = scene
  const { answered: round, attempt, tokens, verdict } = state
  say(scene, settings.run.shuffler.id, { kind: 'tokens', round, attempt, tokens, verdict })
}
