// Who talks to whom in the thesis's protocols, drawn from runs; its first example; what one encryption for each pull costs; and what an
// arm learns of the other from its own pulls.

import { GRID, playOpen, successiveRejects, ucb1 } from '../../src/bandits/index.ts'
import { playRejects, playRing } from '../../src/bandits/machines.ts'
import { countingTools } from '../../src/bandits/proof/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import { type Experiment, type Picture, row } from '../experiment.ts'
import { bonferroni, rateBounds, rateTolerance } from '../statistics.ts'
import { type Letter, partiesDrawing } from './drawing.ts'
import { coins } from './scenarios.ts'

const CONFIDENCE = 0.9999

export const regretExperiment: Experiment = {
  name: 'bandits-regret',
  title: 'One pull for each of three arms may name the second, at a regret of 15; a larger budget does not.',
  source: 'THESIS §2.2.1, example',
  run({ scale, seed }) {
    const values = [13, 35, 50]
    const rewards = [3, 60] as const
    const regret = (best: number) => Math.max(...values) - values[best]!
    const bestOf = (seen: readonly number[]) => {
      const { arms } = playOpen(
        ucb1,
        seen.map(reward => () => reward),
        3,
        { rewards },
      )
      return arms.reduce((best, { sum }, arm) => (sum > arms[best]!.sum ? arm : best), 0)
    }
    const random = seededRandom(seed)
    const runs = scale === 'small' ? 2_000 : 20_000
    const drawn = (value: number) => value - 10 + random.below(21)
    let [wrong, later] = [0, 0]
    for (let run = 0; run < runs; run++) {
      if (bestOf(values.map(drawn)) !== 2) wrong++
      if (run % 20 > 0) continue
      later += regret(
        successiveRejects(
          values.map(value => () => drawn(value)),
          300,
          { rewards },
        ).best,
      )
    }
    // Of 21 · 21 equally likely pairs 15 have the second above the third, and 6 are equal: the first of equals is taken.
    const chance = 21 / 441
    return {
      rows: [
        row('regret after the rewards 23, 44 and 41', regret(bestOf([23, 44, 41])), 15, 0),
        row(
          'runs in which one pull each names another than the third',
          wrong / runs,
          chance,
          rateTolerance(chance, runs, CONFIDENCE),
        ),
        row('regret of successive rejects with 300 pulls', later, 0, 0),
      ],
      pictures: [],
      notes: ['Values 13, 35 and 50, rewards at most 10 away from them.'],
    }
  },
}

export const noiseErratum: Experiment = {
  name: 'errata-bandits-noise',
  title: 'SR-secured as printed encrypts once for each pull: its cost grows with the budget.',
  source: 'THESIS §6.2.3, algorithm 7, and §6.2.4',
  run() {
    const arms = 5
    const values = Array.from({ length: arms }, (_, arm) => arm * GRID)
    const encryptions = (budget: number, eachPull: boolean) => {
      const { seals, sums, counted } = countingTools()
      const { below } = seededRandom(1)
      const { spent } = playRejects({ values, epsilon: 5, budget, seals, sums, below, eachPull })
      return { encryptions: counted.encryptions, spent }
    }
    const rows = [1_000, 4_000].flatMap(budget => {
      const printed = encryptions(budget, true)
      const ours = encryptions(budget, false)
      // DO's values and BAI's zeros; then one for each pull, or one for each arm of each phase: 5 + 4 + 3 + 2.
      return [
        row(`N = ${budget}: encryptions as printed`, printed.encryptions, 2 * arms + printed.spent, 0),
        row(`N = ${budget}: with the noise of a phase added up first`, ours.encryptions, 2 * arms + 14, 0),
      ]
    })
    return {
      rows,
      pictures: [],
      notes: [
        'K = 5. At 9 ms for an encryption of 2,048 bits a budget of 100,000 pulls would take a quarter of an hour as printed; §6.2.4 ' +
          'counts none of these, and figure 6.3 is flat in N only with the sum encrypted once.',
      ],
    }
  },
}

export const armErratum: Experiment = {
  name: 'errata-bandits-7-4-3',
  title: 'Theorem 7.4.3 is false: with two arms an arm finds the other’s sum from its own pulls.',
  source: 'THESIS §7.4.2, theorem 7.4.3',
  run({ scale, seed, progress }) {
    const runs = scale === 'small' ? 300 : 2_000
    const budget = 100
    const right = [0, 0]
    const guessed = [0, 0]
    const means = [0.9, 0.6] as const
    for (let run = 0; run < runs; run++) {
      progress(run / runs, `run ${run + 1}`)
      const sources = coins(means, seed * 10_000 + run)
      const paid: number[][] = [[], []]
      const heard = sources.map((source, arm) => (pull: number) => {
        const reward = source(pull)
        paid[arm]!.push(reward)
        return reward
      })
      const { order, arms } = playOpen(ucb1, heard, budget, { record: true })
      for (const own of [0, 1] as const) {
        const other = 1 - own
        const { sum, pulls } = arms[other]!
        if (otherSum(order, own, paid[own]!) * GRID === sum) right[other]!++
        // The likeliest of so many rewards of that mean: more than the theorem grants anybody.
        if (Math.floor((pulls + 1) * means[other]!) * GRID === sum) guessed[other]!++
      }
    }
    const names = ['better', 'worse'] as const
    const each = bonferroni(CONFIDENCE, 4)
    return {
      rows: ([1, 0] as const).flatMap(other => {
        const whose = `sum of the ${names[other]} arm, named exactly`
        const [least] = rateBounds(right[other]!, runs, each)
        const [, most] = rateBounds(guessed[other]!, runs, each)
        return [
          row(`${whose} by the ${names[1 - other]} from its own pulls`, right[other]! / runs, null, null),
          row(`${whose} by who knows its count and its mean`, guessed[other]! / runs, null, null),
          row(`${names[other]}: twice as often as by such a guess (1 = yes)`, Number(least > 2 * most), 1, 0),
        ]
      }),
      pictures: [],
      notes: [
        `K = 2, µ = (0.9, 0.6), N = ${budget}, ${runs} runs; intervals of 99.99 % for all rates together. An arm knows t, when it was pulled and what it paid; of the other it keeps every ` +
          'sum that would have led to these pulls. It needs nothing that the hypothesis on B_m and i_m forbids; blind does not prevent it either.',
      ],
    }
  },
}

/** The likeliest sum of the other arm, by one's own pulls and rewards. */
function otherSum(order: readonly number[], own: 0 | 1, paid: readonly number[]): number {
  let weights = new Map([
    [0, 0.5],
    [1, 0.5],
  ])
  const pulls = [1, 1]
  let sum = paid[0]!
  for (let all = 2; all < order.length; all++) {
    const isOwn = order[all] === own
    const index = (arm: number, steps: number) => ucb1.index({ pulls: pulls[arm]!, sum: steps * GRID }, all, () => 0)
    const mine = index(own, sum)
    const next = new Map<number, number>()
    for (const [other, weight] of weights) {
      const theirs = index(1 - own, other)
      // Of equals the first arm is pulled.
      const wins = own === 0 ? mine >= theirs : mine > theirs
      if (wins !== isOwn) continue
      if (isOwn) next.set(other, weight)
      else {
        const pays = (other + 1) / (pulls[1 - own]! + 2)
        next.set(other + 1, (next.get(other + 1) ?? 0) + weight * pays)
        next.set(other, (next.get(other) ?? 0) + weight * (1 - pays))
      }
    }
    const total = [...next.values()].reduce((one, more) => one + more, 0)
    weights = new Map([...next].map(([state, weight]) => [state, weight / total]))
    if (isOwn) sum += paid[pulls[own]!]!
    pulls[order[all]!]!++
  }
  return [...weights].reduce((best, each) => (each[1] > best[1] ? each : best))[0]
}

export const partiesExperiment: Experiment = {
  name: 'bandits-parties',
  title: 'Who talks to whom in SR-secured and UCB-DS, drawn from runs.',
  source: 'THESIS figures 6.1, 6.2, 7.1 and 7.2',
  run({ seed }) {
    const search = searchLetters(seed)
    const ring = ringLetters(seed)
    const pictures: Picture[] = [
      { name: 'figure-6-1.svg', svg: partiesDrawing('SR-secured: who talks to whom', search, false) },
      { name: 'figure-6-2.svg', svg: partiesDrawing('SR-secured: in which order', search, true) },
      { name: 'figure-7-1.svg', svg: partiesDrawing('UCB-DS: who talks to whom', ring, false) },
      { name: 'figure-7-2.svg', svg: partiesDrawing('UCB-DS: in which order', ring, true) },
    ]
    const expected = {
      search: ['BAI→RP', 'BAI→U', 'Comp→BAI', 'DO→RP', 'RP→BAI', 'RP→Comp'],
      ring: ['AS→R', 'AS→U', 'DO→R', 'R→AS', 'R→R', 'U→AS'],
    }
    const same = (one: readonly string[], other: readonly string[]) => Number(String(one) === String(other))
    return {
      rows: [
        row('SR-secured: the ways are those of figure 6.1 (1 = yes)', same(waysOf(search), expected.search), 1, 0),
        row('UCB-DS: the ways are those of figure 7.2 (1 = yes)', same(waysOf(ring), expected.ring), 1, 0),
        row('SR-secured, K = 4: messages', search.length, null, null),
        row('UCB-DS, K = 3, N = 6: messages', ring.length, null, null),
      ],
      pictures,
      notes: [`SR-secured: ${waysOf(search).join(', ')}. UCB-DS: ${waysOf(ring).join(', ')}.`],
    }
  },
}

/** Kinds of nodes that talk to each other. */
function waysOf(letters: readonly Letter[]): string[] {
  const kind = (name: string) => name.replace(/\d+$/, '')
  return [...new Set(letters.map(({ from, to }) => `${kind(from)}→${kind(to)}`))].sort()
}

function searchLetters(seed: number): Letter[] {
  const letters: Letter[] = []
  const { seals, sums } = countingTools()
  const overhear = (from: string, to: string) => letters.push({ from, to })
  const { below } = seededRandom(seed)
  playRejects({ values: [1, 2, 3, 4], epsilon: 1, budget: 40, seals, sums, below, overhear })
  // What DO hands out goes to every drawer.
  return letters.flatMap(letter =>
    letter.to === 'RP' ? [1, 2, 3].map(to => ({ ...letter, to: `RP${to}` })) : [letter],
  )
}

function ringLetters(seed: number): Letter[] {
  const letters: Letter[] = []
  const { seals, sums } = countingTools()
  const overhear = (from: string, to: string) => letters.push({ from, to })
  const { below } = seededRandom(seed)
  const handOver = [0, 1, 2].map(() => new Uint8Array(8))
  const run = playRing({ arms: 3, budget: 6, level: 'ucb-ds', below, seals, sums, overhear, handOver })
  for (let step = run.next(); !step.done; ) step = run.next(step.value.arm * 1_000)
  return letters
}
