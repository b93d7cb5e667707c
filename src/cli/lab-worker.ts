// One worker thread of `coterie lab run` for several experiments: one of them, from its beginning to its end.

import { findExperiment, type Report, runExperiment, type Scale } from '../../lab/index.ts'

export interface LabTask {
  readonly name: string
  readonly scale: Scale
  readonly seed: number
}

export default function runTask({ name, scale, seed }: LabTask): Promise<Report> {
  return runExperiment(findExperiment(name)!, { scale, seed, progress: () => {} })
}
