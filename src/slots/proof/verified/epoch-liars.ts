// Members that lie about the next epoch, so that there is always a next one and nothing is ever dealt. None of them leaves
// evidence: a restart can be true, and every record that they propose has the right form.

import type { NodeId } from '../../../core/index.ts'
import { membersNeeded } from '../../settings.ts'
import { type EpochMember, votersOf } from '../../verified/record.ts'
import { isStep } from '../../verified/wire.ts'
import type { LiarScene, Lies } from './lying.ts'

/** Well within the time for which nothing is dealt after a change. */
const RESTLESS_MS = 1_000
/** Often enough to be the first to propose, whenever the others see a reason. */
const HASTY_MS = 50

type Choice = (members: readonly EpochMember[], to: NodeId) => readonly EpochMember[]

/** Leads ballot after ballot, from `early` in an epoch on and every `every`, with members chosen for each hearer. */
function proposing(early: number, every: number, choose: Choice): (scene: LiarScene) => void {
  const last = { epoch: '', at: 0, ballot: 0 }
  return scene => {
    const { record, hash, position, adoptedAt } = scene.state.epoch
    const { now } = scene.turn
    if (position < 0 || now < adoptedAt + early) return
    if (last.epoch !== hash.join()) Object.assign(last, { epoch: hash.join(), ballot: position })
    else if (now < last.at + every) return
    else last.ballot += record.members.length
    last.at = now
    for (const { name: to } of record.members) {
      if (to === scene.state.self) continue
      const members = choose(record.members, to)
      const others = votersOf(record).filter(voter => !members.includes(voter))
      const absent = members.length < membersNeeded(record.liars) ? others : []
      const next = { ...record, number: record.number + 1, previous: hash, members, absent }
      const words = { kind: 'propose', author: scene.state.self, epoch: hash, round: 0, record: next } as const
      const said = { ...words, ballot: last.ballot, favoured: undefined, signature: new Uint8Array() }
      scene.send(to, scene.forge(said, {}))
    }
  }
}

const everybody: Choice = members => members

/** Takes part, and would have every epoch followed by the same one: those outside would stay there. */
export function restless(): Lies {
  return { hears: proposing(RESTLESS_MS, RESTLESS_MS, everybody) }
}

/** Takes part, and says again and again that it restarted. */
export function restarting(): Lies {
  let said = ''
  return {
    hears(scene) {
      const { epoch, self } = scene.state
      if (said === epoch.hash.join()) return
      said = epoch.hash.join()
      const words = { kind: 'petition', author: self, epoch: epoch.hash, round: 0, leaving: false } as const
      scene.sendToAll(scene.forge({ ...words, number: epoch.record.number, signature: new Uint8Array() }, {}))
    },
  }
}

/** Takes no part, says that it restarted, and would have the same members again, itself among them. */
export function clinging(): Lies {
  const [restarts, proposes] = [restarting(), proposing(RESTLESS_MS, HASTY_MS, everybody)]
  return {
    says: saysNoStep,
    hears(scene, said) {
      if (scene.turn.now >= scene.state.epoch.adoptedAt + RESTLESS_MS) restarts.hears?.(scene, said)
      proposes(scene)
    },
  }
}

/** Takes no part; and to each of the others proposes to go on without it, but in another order of the ring. */
export function splitting(): Lies {
  const ring: Choice = (members, to) => {
    const first = members.findIndex(({ name }) => name === to)
    return [...members.slice(first), ...members.slice(0, first)]
  }
  let self = ''
  const proposes = proposing(0, HASTY_MS, (members, to) => ring(members, to).filter(({ name }) => name !== self))
  return {
    says: saysNoStep,
    hears(scene) {
      self = scene.state.self
      proposes(scene)
    },
  }
}

function saysNoStep(scene: LiarScene, to: NodeId, said: Parameters<NonNullable<Lies['says']>>[2]): void {
  if (!isStep(said)) scene.send(to, said)
}
