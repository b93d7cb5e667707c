// When a slot may be dealt: no lease of it can be out any more, as far as we know (protocols/slots 8).

import { quietFor } from './epoch.ts'
import { driftOf, slotsDealt } from './record.ts'
import { type Epoch, NEVER, type Round, type SlotsScene } from './state.ts'

/** Rule 8: every slot of the round is free as far as we know, and no lease of an earlier epoch can be out. */
export function mayDeal(scene: SlotsScene, slots: readonly number[], round: number): boolean {
  const { epoch } = scene.state
  const { now } = scene.turn
  const { lease } = epoch.record
  if (now < epoch.quietUntil) return false
  return slots.every(slot => {
    const use = epoch.uses[slot]!
    if (use.round < 0 || use.round === round) return true
    return scene.rules.mayReuse(use.closed, use.sharedAt, now, lease, driftOf(epoch.record))
  })
}

/**
 * Whether an earlier round may still deal a slot of this one: we have not given our shares there, and may yet, since our seal is
 * a promise. Nor do we know that there is none while the header of an earlier round is missing. Rounds are sealed in their
 * order, so that two members do not wait for each other.
 */
export function overtakes({ rounds, next }: Epoch, { number, slots }: Round): boolean {
  if (number >= next) return true
  for (const earlier of rounds.values()) {
    if (earlier.number >= number || earlier.sharedAt !== NEVER) continue
    if (earlier.slots.some(slot => slots.includes(slot))) return true
  }
  return false
}

/** Slots that we may deal now, in the order of the record. */
function freeSlots(scene: SlotsScene): number[] {
  const { epoch } = scene.state
  const { record } = epoch
  const busy = new Set<number>()
  for (const round of epoch.rounds.values()) {
    if (round.sharedAt === NEVER) for (const slot of round.slots) busy.add(slot)
  }
  const free = record.slots
    .map((_name, slot) => slot)
    .filter(slot => !busy.has(slot) && mayDeal(scene, [slot], epoch.next))
  const all = slotsDealt(record)
  if (record.concurrent) return free.slice(0, all)
  const first = free.filter(slot => slot < all)
  return first.length === all ? first : []
}

// By then everybody's own wait is over. Before the first epoch there was nothing to wait for.
export function dealsFrom(scene: SlotsScene): number {
  const { epoch } = scene.state
  return epoch.record.number === 0 ? epoch.liveAt : epoch.liveAt + quietFor(scene, epoch.record)
}

/** Whether a round may begin: something is free, its leader leads no live round, and somebody asked if that is needed. */
export function mayOpen(scene: SlotsScene): readonly number[] {
  const { state } = scene
  const { now } = scene.turn
  const { epoch } = state
  if (!epoch.live || epoch.closed || now < dealsFrom(scene)) return []
  if (scene.settings.onDemand && epoch.wanted === undefined && state.waiting.length === 0) return []
  const before = epoch.rounds.get(epoch.next - epoch.record.members.length)
  if (before !== undefined && before.phase !== 'over') return []
  return freeSlots(scene)
}
