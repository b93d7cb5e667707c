// Seats without names, to play with.

import type { NodeId } from '../core/index.ts'
import type { Plan, Playground } from '../simulator/index.ts'
import { plantedSlotsBugs, slotsScenarioFor } from '../slots/proof/index.ts'
import { opening } from './sizes.ts'

/** Who sits where, without a name. */
export const slotsPlayground: Playground = {
  name: 'slots',
  title: 'Slots',
  promise: 'Never more holders than seats, nobody learns whose seat it is, and everybody gets one in time.',
  servers: { min: 3, max: 7, usual: 4 },
  liars: { min: 0, max: 1, usual: 1 },
  stories: {},
  bugs: Object.keys(plantedSlotsBugs),
  bound: ({ servers = 4, liars = 1 }) =>
    `${servers} members, of which ${liars} may lie: all but one may, and are named.`,
  open: run =>
    opening(() => {
      const { servers = 4, liars = 1, bug } = run
      if (servers < 3) throw new RangeError(`slots need three members at least; n is ${servers}.`)
      return {
        scenario: slotsScenarioFor({ liars, members: servers, ...(bug !== undefined && { bug }) }),
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
