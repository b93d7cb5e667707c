// THESIS theorem 5.5.1, by machine; and its theorem 5.4.1 as printed, where a burn may be minted again and again.

import { seededRandom } from '../../src/core/index.ts'
import { brokenLedgerRules, differs, exploreTwoInOne, Stage, TwoInOne, universe } from '../../src/ledger/proof/index.ts'
import { type Experiment, type Row, row } from '../experiment.ts'

/** Every state that can be reached: with so much money in each ledger, and so many burns. */
const SYSTEMS = {
  small: [{ supply: 2n, burns: 1, states: 237, steps: 1_884 }],
  full: [
    { supply: 2n, burns: 1, states: 237, steps: 1_884 },
    { supply: 3n, burns: 1, states: 496, steps: 5_264 },
    { supply: 2n, burns: 2, states: 3_865, steps: 30_684 },
    { supply: 3n, burns: 2, states: 10_816, steps: 117_024 },
  ],
}
const WALKS = { small: 40, full: 100_000 }
const WALK_STEPS = 60

export const twoInOneExperiment: Experiment = {
  name: 'ledger-two-in-one',
  title: 'A pair of ledgers that see each other, and one ledger with two registers, take and refuse the same.',
  source: 'THESIS definition and theorem 5.5.1, §5.6',
  run({ scale, seed, progress }) {
    const rows: Row[] = []
    for (const { supply, burns, states, steps } of SYSTEMS[scale]) {
      progress(0.2, `supply ${supply}`)
      const what = `supply ${supply}, ${burns} burn${burns === 1 ? '' : 's'}`
      const found = exploreTwoInOne({ supply, burns })
      rows.push(row(`${what}: states`, found.states, states, 0), row(`${what}: steps`, found.steps, steps, 0))
      rows.push(row(`${what}: differences`, found.difference === undefined ? 0 : 1, 0, 0))
    }
    const random = seededRandom(seed, 0x21)
    const steps = universe([1n, 2n, 3n], 6)
    let [different, taken] = [0, 0]
    for (let walk = 0; walk < WALKS[scale]; walk++) {
      if (walk % 50 === 0) progress(0.5 + walk / WALKS[scale] / 2, `${walk} walks`)
      const product = new TwoInOne(9n)
      for (let at = 0; at < WALK_STEPS; at++) {
        const step = steps[random.below(steps.length)]!
        const verdicts = [product.take(product.pair, step), product.take(product.both, step)]
        if (verdicts[0]) taken++
        if (differs(product, product.pair, product.both, verdicts) !== undefined) different++
      }
    }
    rows.push(row(`steps that differ, in ${WALKS[scale]} random walks`, different, 0, 0))
    return {
      rows,
      pictures: [],
      notes: [
        `In the walks ${taken} of ${WALKS[scale] * WALK_STEPS} steps were taken. In each state every transaction of the universe is valid in both or in neither,`,
        'balances are equal, and what is held, out and under way adds up. Each sees the other at once: with certificates some steps are late.',
      ],
    }
  },
}

export const spentErratum: Experiment = {
  name: 'errata-ledger-spent',
  title: 'As printed, one burn is minted as often as anybody likes.',
  source: 'THESIS theorem 5.4.1 and its footnote 1',
  run() {
    const again = (bug: string | undefined) => {
      const stage = new Stage(brokenLedgerRules(bug))
      const burn = stage.a.must(stage.burn(stage.a, stage.b, 5n))
      let minted = 0
      for (let time = 0; time < 10; time++) if (stage.b.submit(stage.mint(stage.a.proof(burn))) === undefined) minted++
      return minted
    }
    const printed = exploreTwoInOne({ supply: 2n, burns: 1, rules: brokenLedgerRules('no-spent-set') })
    return {
      rows: [
        row('mints of one burn, of ten tried: as printed', again('no-spent-set'), 10, 0),
        row('mints of one burn, of ten tried: here', again(undefined), 1, 0),
        row('steps to the first state in which money was made, as printed', printed.difference?.path.length ?? 0, 3, 0),
      ],
      pictures: [],
      notes: [
        `Burn, mint, mint: ${printed.difference?.why ?? 'nothing differs'}. A burn here is one leaf with a number, and the other ledger marks it.`,
      ],
    }
  },
}
