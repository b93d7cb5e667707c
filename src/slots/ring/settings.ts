// The numbers of the printed scheme (OMA §3, §5.2), and the two levels that it comes in.

import { type Millis, SettingsError } from '../../core/index.ts'

export type PrintedLevel =
  /** The paper's: the coalition is honest but curious; whoever coordinates learns how many slots are held. */
  | 'curious'
  /** SO-mA (§4.2, §5.5): the release phase is a secure OR, and tells one bit a lap: somebody still holds, or nobody. */
  | 'strong'

export type PrintedFairness =
  /** The paper's: the coordinator takes its ticket first, a valid one if it wants one. Served within n rounds. */
  | 'rotating'
  /** The coordinator takes the ticket that the lap leaves over. Nothing is known of it beforehand. */
  | 'lottery'

export interface PrintedSettings {
  /** m: the first m of the n tickets mean slots. */
  readonly slots: number
  readonly level: PrintedLevel
  readonly fairness: PrintedFairness
  /** The pause between two laps of the release token; it grows while nothing changes. */
  readonly beat: Millis
  /** After which a member says again what nobody seems to have heard. Longer than a lap takes. */
  readonly patience: Millis
  /** So long after it came a token goes on, however long the work took; 0: as soon as the work is done. */
  readonly pace: Millis
}

export const printedDefaults: Omit<PrintedSettings, 'slots'> = {
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

export function checkPrinted(settings: PrintedSettings, members: number): void {
  const { slots, beat, patience, pace } = settings
  if (members < RING_MIN || members > RING_MAX) {
    throw new SettingsError(`the printed slots work with ${RING_MIN} to ${RING_MAX} members, not ${members}.`)
  }
  if (!Number.isInteger(slots) || slots < 1 || slots > members) {
    throw new SettingsError(`${slots} slots and ${members} members: have 1 to ${members} slots.`)
  }
  if (!(beat > 0 && patience > 0 && pace >= 0)) {
    throw new SettingsError('beat and patience must be above 0, pace at least 0.')
  }
}
