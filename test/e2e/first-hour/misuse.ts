// One wrong use, or a few, of each public function: a sentence that says what is wrong, and nothing else happens. The list is that of
// test/wrong-uses.test.ts; here it is played on what was built (run.mjs sees to it).

import { CoterieError } from '../../../src/index.ts'
import { wrongStage } from '../../support/wrong-stage.ts'
import { whyNotRefused } from '../../support/wrong-use.ts'
import { wrongUses } from '../../support/wrong-uses.ts'
import type { World } from './world.ts'

export async function playMisuses(world: World): Promise<void> {
  await using stage = await wrongStage()
  for (const use of wrongUses) {
    const began = performance.now()
    const why = await whyNotRefused(use, stage, CoterieError)
    world.judge(`wrong use of ${use.call}: ${use.says}`, why, '', performance.now() - began)
  }
}
