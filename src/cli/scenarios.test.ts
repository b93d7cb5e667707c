// Every scenario that `coterie sim` runs, with less and less of what was drawn: what a failing run is shrunk to.

import { expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { runOnce } from '../simulator/index.ts'
import { protocols, scenarioFor } from './scenarios.ts'

/** In these much is computed even when nobody asks for anything: seconds each. */
const SLOW = ['interest', 'slots', 'member']
const quick = protocols.filter(protocol => !SLOW.includes(protocol))

it.each(sized(quick, protocols))(
  '%s: where nobody does anything and nothing goes wrong, no promise is broken',
  protocol => {
    expect(runOnce(scenarioFor({ protocol }), 1, { only: [], calm: true }).violations).toEqual([])
  },
)
