// The numbers of one ring (OMA §3, §5.2), and the two levels that it comes in.

import { type Millis, SettingsError } from '../../core/index.ts'
import type { Fairness } from '../settings.ts'

export type RingLevel =
  /** The paper's: the coalition is honest but curious; the coordinator learns how many slots are held. */
  | 'curious'
  /** SO-mA (§4.2, §5.5): the release phase is a secure OR, and tells one bit a lap: somebody still holds, or nobody. */
  | 'strong'

export interface RingSettings {
  /** m: the first m of the n tickets mean slots. */
  readonly slots: number
  readonly level: RingLevel
  readonly fairness: Fairness
  /** The pause between two laps of the release token; it grows while nothing changes. */
  readonly beat: Millis
  /** How long until a member says again what nobody seems to have heard. Longer than a lap takes. */
  readonly patience: Millis
  /** A token goes on this long after it came, however long the work took; 0: as soon as the work is done. */
  readonly pace: Millis
}

export const ringDefaults: Omit<RingSettings, 'slots'> = {
  level: 'curious',
  fairness: 'rotating',
  beat: 20,
  patience: 400,
  pace: 0,
}

/** Members of one ring: a lap carries n tickets past n members. */
export const RING_MAX = 64
/** With two, each knows what the other has. */
const RING_MIN = 3

export function checkRing(settings: RingSettings, members: number): void {
  const { slots, beat, patience, pace } = settings
  if (members < RING_MIN || members > RING_MAX) {
    throw new SettingsError(`a ring works with ${RING_MIN} to ${RING_MAX} members, not ${members}.`)
  }
  if (!Number.isInteger(slots) || slots < 1 || slots > members) {
    throw new SettingsError(`${slots} slots and ${members} members: have 1 to ${members} slots.`)
  }
  if (!(beat > 0 && patience > 0 && pace >= 0)) {
    throw new SettingsError('beat and patience must be above 0, pace at least 0.')
  }
}
