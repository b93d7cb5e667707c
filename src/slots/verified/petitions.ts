// Petitions: a member that cannot take part in this epoch, or wants to leave it, asks for the next.

import { send, sendToAll, statementOf } from './saying.ts'
import type { SlotsScene } from './state.ts'
import type { Petition } from './wire.ts'

/** In beats: all members must know who waits, so petitions are passed on. */
const PASSED_ON_BEATS = 10

/** From outside, after a restart, or on the way out: asks for the next epoch. */
export function petition(scene: SlotsScene): void {
  const { state } = scene
  const { epoch, leaving } = state
  const inside = epoch.position >= 0
  if (inside && state.beats % PASSED_ON_BEATS === 0) {
    for (const known of state.petitions.values()) sendToAll(scene, known)
  }
  if (inside ? !(epoch.barred || leaving) : leaving) return
  const words = { round: 0, number: epoch.record.number, leaving }
  const said = statementOf<Petition>(scene, { kind: 'petition', ...words })
  const names = inside ? epoch.record.members : scene.directory
  for (const { name } of names) send(scene, name, said)
}

export function onPetition({ state }: SlotsScene, said: Petition): void {
  state.petitions.set(said.author, said)
}
