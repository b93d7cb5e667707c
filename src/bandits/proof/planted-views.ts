// Bugs that show somebody what it must not see, and whose view tells: the run is right, and the simulator's checkers see nothing wrong.

import { banditRules } from '../rules.ts'
import type { RecordedShape, Viewer } from './recorded.ts'

/** A broken rule, or a setting, and who is shown too much by it. */
export interface PlantedView {
  readonly viewer: Viewer
  readonly change: Partial<Pick<RecordedShape, 'rules' | 'pace' | 'algorithm'>>
  /** What tells. */
  readonly tells: RegExp
}

/** Ties by slot show in runs whose arms are tied; the others in any. */
export const plantedViews: Readonly<Record<string, PlantedView>> = {
  'no pace': { viewer: 'shuffler', change: { pace: 0 }, tells: /how long after its turn/ },
  'a rejected arm says no more': {
    viewer: 'shuffler',
    change: { algorithm: 'successive-rejects', rules: { ...banditRules, sendsBox: isIn => isIn } },
    tells: /whether it sent a box/,
  },
  'chance by round and slot': {
    viewer: 'shuffler',
    change: { rules: { ...banditRules, boxChance: (_proof, round, slot) => [round, slot] } },
    tells: /what begins as another box/,
  },
  'boxes under the key of arms and comparator alone': {
    viewer: 'shuffler and an arm',
    change: { rules: { ...banditRules, sealedTo: (_runKey, boxesKey) => boxesKey() } },
    tells: /what opens/,
  },
  'tokens of two attempts are the same': {
    viewer: 'comparator',
    change: { rules: { ...banditRules, tokensFor: () => 0 } },
    tells: /whose token came before/,
  },
  'seats are kept': {
    viewer: 'comparator',
    change: { rules: { ...banditRules, shuffledFor: () => 0 } },
    tells: /slots in two rounds/,
  },
  'seats are kept, for an arm': {
    viewer: 'arm',
    change: { rules: { ...banditRules, shuffledFor: () => 0 } },
    tells: /its slots in two rounds/,
  },
  'ties by slot': {
    viewer: 'arm',
    change: { rules: { ...banditRules, tieRank: (_ranks, _arm, slot) => slot } },
    tells: /^its slot$/,
  },
  'no pace, for an arm': { viewer: 'arm', change: { pace: 0 }, tells: /how long until its turn/ },
}
