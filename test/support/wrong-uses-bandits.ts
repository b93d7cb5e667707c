// Wrong uses of bandits: a part of the list in wrong-uses.ts.

import { any, type WrongUse, wrong } from './wrong-use.ts'

const coins = { a: () => 1, b: () => 0 }
/** One wrong use, or a few, of every function of bandits. */
export const banditWrongUses: readonly WrongUse[] = [
  wrong('EmbeddedGroup.bestArm', 'group.bestArm has no option "budgets". Did you mean budget?', ({ group }) =>
    group.bestArm(any({ name: 'x', arms: coins, budgets: 9 })),
  ),
  wrong('EmbeddedGroup.bestArm', 'takes values and epsilon, not arms', ({ group }) =>
    group.bestArm(any({ name: 'x', arms: coins, budget: 9, privacy: 'thesis' })),
  ),
  wrong('EmbeddedGroup.bestArm', 'takes its options as an object, not undefined', ({ group }) =>
    group.bestArm(any(undefined)),
  ),
  wrong('EmbeddedGroup.maximise', 'an object with a function for each arm', ({ group }) =>
    group.maximise(any({ name: 'x', arms: ['a', 'b'], budget: 9 })),
  ),
  wrong('EmbeddedGroup.maximise', 'batch is 2; it must be a number from 0 to 1', ({ group }) =>
    group.maximise({ name: 'x', arms: coins, budget: 9, batch: 2 }),
  ),
  wrong('JoinedGroup.bestArm', '2 arms need 1 drawers, one for each phase, not 2', ({ joined }) =>
    joined.bestArm({
      name: 'x',
      privacy: 'thesis',
      values: { a: 1, b: 2 },
      epsilon: 1,
      budget: 9,
      shuffler: 's',
      comparator: 'c',
      drawers: ['d', 'e'],
    }),
  ),
  wrong('JoinedGroup.maximise', "onLost is 'drop': say with armTimeout", ({ joined }) =>
    joined.maximise({ name: 'x', arms: ['a', 'b'], budget: 9, shuffler: 's', comparator: 'c', onLost: 'drop' }),
  ),
  wrong('OpenBandits.ucb1', 'sources is 5; it must be a list of at least 2 functions', ({ group }) =>
    group.bandits.ucb1(any(5), 10),
  ),
  wrong('OpenBandits.ucb1', 'budget is "10"; it must be a whole number', ({ group }) =>
    group.bandits.ucb1([() => 1, () => 0], any('10')),
  ),
  wrong('OpenBandits.ucb2', 'alpha is 0; it must be', ({ group }) => group.bandits.ucb2([() => 1, () => 0], 10, 0)),
  wrong('OpenBandits.thompson', 'group.bandits.thompson has no option "record_". Did you mean record?', ({ group }) =>
    group.bandits.thompson([() => 1, () => 0], 10, any({ record_: true })),
  ),
  wrong('OpenBandits.successiveRejects', 'sources is', ({ group }) => group.bandits.successiveRejects([() => 1], 10)),
]
