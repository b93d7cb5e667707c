// An adversary that was not told where to look: logistic regression over numbers that can be read off any transcript,
// trained on half of the games and tried on the other half.

import type { View } from './view.ts'

type Bare = Omit<View, 'features'>

const lastByte = (bytes: Uint8Array | undefined) => (bytes === undefined ? 0 : (bytes.at(-1)! - 127.5) / 127.5)
const bit = (bytes: Uint8Array | undefined) => (bytes === undefined ? 0 : 2 * (bytes.at(-1)! & 1) - 1)

/** About both honest members alike, and about the two together: sizes from -1 to 1 or so. */
export function featuresOf(view: Bare): readonly number[] {
  const [first, second] = view.honest
  const [one, other] = [view.dealt.get(first), view.dealt.get(second)]
  const order = [...view.dealt.keys()]
  const passOf = (position: number) => view.passes.find(({ by }) => by === position)
  const took = (view.took.get(first) ?? 0) - (view.took.get(second) ?? 0)
  return [
    1,
    Math.tanh(took),
    Math.sign(order.indexOf(first) - order.indexOf(second)),
    ...[one, other].flatMap(ticket => [lastByte(ticket?.c1), lastByte(ticket?.c2), bit(ticket?.c1), bit(ticket?.c2)]),
    ...[first, second].flatMap(position => {
      const pass = passOf(position)
      return [
        lastByte(pass?.input[0]?.c2),
        lastByte(pass?.output[0]?.c2),
        bit(pass?.input[0]?.c2),
        bit(pass?.output[0]?.c2),
      ]
    }),
    view.coordinator === first ? 1 : view.coordinator === second ? -1 : 0,
    view.laps.length / 10,
  ]
}

export interface Sample {
  readonly features: readonly number[]
  /** Whether the first honest member has the lower of the two tickets. */
  readonly lower: boolean
}

const EPOCHS = 20
const STEP = 0.1

/** Weights by gradient descent, one sample at a time, in the order given: the same samples give the same weights. */
export function train(samples: readonly Sample[]): readonly number[] {
  const weights = (samples[0]?.features ?? []).map(() => 0)
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const { features, lower } of samples) {
      const error = (lower ? 1 : 0) - 1 / (1 + Math.exp(-score(weights, features)))
      for (const [place, value] of features.entries()) weights[place]! += (STEP / (1 + epoch)) * error * value
    }
  }
  return weights
}

export function score(weights: readonly number[], features: readonly number[]): number {
  return features.reduce((sum, value, place) => sum + value * (weights[place] ?? 0), 0)
}
