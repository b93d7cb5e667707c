// Redlock's rule, to play with: it falls to one liar.

import type { NodeId } from '../core/index.ts'
import { redlockPalette, redlockScenario } from '../papers/redlock/index.ts'
import type { Playground } from '../simulator/index.ts'
import { hasClient, names } from './sizes.ts'

const HOLD = 400_000

/** The rule of the popular lock on several Redis servers. */
export const redlockPlayground: Playground = {
  name: 'redlock',
  title: 'Redlock’s rule',
  promise: 'One holder at a time, if every server tells the truth.',
  servers: { min: 1, max: 12, usual: 5 },
  stories: {},
  bugs: [],
  bound: ({ servers = 5 }) => `${servers} servers, of which ${Math.floor(servers / 2) + 1} must say yes; none may lie.`,
  open({ servers = 5 }) {
    if (servers < 1) return 'redlock’s rule needs a server at least.'
    return {
      scenario: redlockScenario(names('server', servers)),
      // It promises nothing with a liar; that is what there is to see, so one may be played.
      model: { liars: 1, drift: 0.01, allows: ['hold', 'drop', 'twice', 'cut', 'slow', 'do', 'crash'] },
      mayLie: names('server', servers),
      palette: redlockPalette,
      commands: {
        use: {
          title: 'ask for the lock, hold it 0.4 s',
          act: (client: NodeId, plan) => (hasClient(plan, client) ? { kind: 'use', client, hold: HOLD } : undefined),
        },
      },
      dies: (client, plan) => (hasClient(plan, client) ? { kind: 'die', client } : undefined),
    }
  },
}
