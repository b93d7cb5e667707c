// The examples about private runs: three owners, two helpers, and an audit of what they did.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../support/processes.ts'
import type { Running, World } from './world.ts'

const ARM = 'coterie bandit arm page green --config shops/members/member-2 --run ./visitor.sh'
const BEST =
  'coterie bandit best page --config shops/members/member-6 --arms red,green,blue --budget 300 --shuffler member-4 --comparator member-5'
const MAXIMISE =
  'coterie bandit maximise page --config shops/members/member-6 --arms red,green,blue --budget 40 --batch 0.1 --shuffler member-4 --comparator member-5'
const STATUS = 'coterie bandit status page --config shops/members/member-2'
const AUDIT = 'coterie bandit audit logs/*.log'
const PLAN = 'coterie bandit plan --arms 10 --budget 1000'

export const banditLines: readonly string[] = [ARM, BEST, MAXIMISE, STATUS, AUDIT, PLAN]

export async function playBandits(world: World): Promise<void> {
  const folder = join(world.folder, 'bandits')
  mkdirSync(folder)
  // Green sells to all, blue to every second, red to nobody.
  const visitor = 'case $COTERIE_ARM in green) echo 1;; blue) echo $((COTERIE_PULL % 2));; *) echo 0;; esac'
  writeFileSync(join(folder, 'visitor.sh'), `#!/bin/sh\n${visitor}\n`, { mode: 0o755 })
  const at = { in: folder }
  const port = await freePorts(6)
  await world.line(`coterie init shops --servers 1 --crashes 0 --members 6 --base-port ${port - 200}`, at)
  await world.line(PLAN, { ...at, says: /9 rounds/ })
  const running: Running[] = []
  for (const helper of [4, 5]) {
    running.push(await world.start(`coterie join --config shops/members/member-${helper}`, /joined/, at))
  }
  const others = [
    ['green', 2],
    ['blue', 3],
    ['red', 1],
  ] as const
  for (const [colour, member] of others) {
    const line = ARM.replace('green', colour).replace('member-2', `member-${member}`)
    running.push(await world.start(`${line} --runs 2`, /serving arm/, at))
  }
  await world.line(
    BEST.replace('--budget 300', '--budget 20'),
    { ...at, says: /the best arm is green/ },
    `${BEST}  (with 20 pulls)`,
  )
  await world.line('mkdir logs && for m in 1 2 3 4 5 6; do cp shops/members/member-$m/runs/*.log logs/$m.log; done', at)
  await world.line(STATUS, { ...at, says: /arm 'green': over after 2 rounds/ })
  await world.line(AUDIT, { ...at, says: /right: 2 rounds/ })
  await world.line(MAXIMISE, { ...at, says: /the sum of all rewards is \d+/ })
  for (const one of running) await one.stop('SIGINT', 0)
}
