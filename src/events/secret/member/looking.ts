// A look at what is missing, what is old and who was asked, a few times within the patience.

import { type MemberScene, memberTimers } from './state.ts'

const LOOKS = 4

/** Set once: what comes every moment must not put it off for ever. */
export function look({ state, turn, settings }: MemberScene): void {
  if (state.looking) return
  state.looking = true
  memberTimers.set(turn, 'look', settings.patience / LOOKS)
}
