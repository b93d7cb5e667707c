// LECTURE, "Gossip-based coordination", in flat arrays: large groups, no messages, one round after the other.

import type { Experiment } from '../experiment.ts'
import { gossipAverage } from './average.ts'
import { hubAttack } from './hub-attack.ts'
import { hyparview } from './hyparview.ts'
import { peerSampling } from './peer-sampling.ts'
import { gossipSpread } from './spread.ts'
import { torus } from './torus.ts'

export const gossipExperiments: readonly Experiment[] = [
  gossipAverage,
  gossipSpread,
  torus,
  peerSampling,
  hyparview,
  hubAttack,
]
