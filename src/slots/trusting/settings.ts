// The settings of levels `curious` and `strong`: those of `verified`, less what a ring cannot do.

import { SettingsError } from '../../core/index.ts'
import { type RingLevel, type RingSettings, ringDefaults } from '../ring/index.ts'
import { checkSettings, type SlotsSettings } from '../settings.ts'

/** Between two laps of the release token the ring rests for up to 8 beats; then the lap itself, and its pulses. */
const RESTING_BEATS = 12

/** In beats: how long until a token that nobody seems to have heard is said again. Most laps are over by then. */
const REPEAT_BEATS = 4

export function checkTrusting(settings: SlotsSettings, members: number): void {
  const { level, liars, concurrent, onDemand, beat, patience } = settings
  const refuse = (why: string): never => {
    throw new SettingsError(`slots '${settings.name}' at level '${level}': ${why}`)
  }
  if (level !== 'curious' && level !== 'strong') refuse('there are curious, strong and verified.')
  checkSettings(settings, members)
  if (liars > 0) refuse(`every member follows the protocol; ${liars} that may lie need level 'verified'.`)
  if (concurrent) refuse("one token goes round: concurrent rounds need level 'verified'.")
  if (onDemand) refuse("rounds follow each other: rounds on demand need level 'verified'.")
  if (patience < RESTING_BEATS * beat) refuse(`patience must be at least ${RESTING_BEATS} beats, or rest is silence.`)
}

/** How the ring of one epoch is run. */
export function ringSettings(settings: SlotsSettings, slots: number): RingSettings {
  const { level, fairness, beat, paced } = settings
  const pace = paced ? beat : 0
  return {
    ...ringDefaults,
    level: level as RingLevel,
    slots,
    fairness,
    beat,
    patience: REPEAT_BEATS * beat,
    pace,
  }
}
