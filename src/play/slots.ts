// Seats without names, to play with.

import type { NodeId } from '../core/index.ts'
import type { Plan, Playground } from '../simulator/index.ts'
import { plantedSlotsBugs, slotsScenarioFor } from '../slots/proof/index.ts'
import { opening } from './sizes.ts'

const USUAL = 4

/** Who sits where, without a name. */
export const slotsPlayground: Playground = {
  name: 'slots',
  title: 'Slots',
  promise: 'Never more holders than seats, nobody learns whose seat it is, and everybody gets one in time.',
  servers: { min: 3, max: 7, usual: USUAL },
  liars: { min: 0, max: 1, usual: 1 },
  stories: {},
  bugs: Object.keys(plantedSlotsBugs),
  bound: ({ servers, liars = 1, bug }) =>
    bug !== undefined && servers === undefined
      ? 'As many members as the planted bug needs, and the liar that it needs.'
      : `${servers ?? USUAL} members, of which ${liars} may lie: all but one may, and are named.`,
  open: run =>
    opening(() => {
      const { servers, liars = 1, bug } = run
      if (servers !== undefined && servers < 3)
        throw new RangeError(`slots need three members at least; n is ${servers}.`)
      // A planted bug shows soonest in a group of its own size: it has it where the address says none.
      const members = servers ?? (bug === undefined ? USUAL : undefined)
      return {
        scenario: slotsScenarioFor({ liars, ...(members && { members }), ...(bug !== undefined && { bug }) }),
        model: { liars, drift: 0.05, allows: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'do'] },
        mayLie: [],
        commands: { use: { title: 'ask for a seat, hold it 0.1 s', act: asking } },
      }
    }),
}

function asking(member: NodeId, plan: Plan<unknown>) {
  const { members } = plan as Plan<unknown> & { readonly members?: readonly NodeId[] }
  return members?.includes(member) ? { kind: 'use', member, hold: 100_000, patience: 10_000_000 } : undefined
}
