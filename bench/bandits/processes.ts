// K arms, a shuffler and a comparator as processes of their own, over TLS on this machine, with stores on disk: how long a round takes at the
// level blind and in UCB-DS, one after the other in the same group. Neither is audited.

import { performance } from 'node:perf_hooks'
import { jesterSmall } from '../../lab/bandits/ratings.ts'
import type { BanditHandle, BanditResult } from '../../src/client/bandits/run.ts'
import { join } from '../../src/client/join.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { benchProgram, freePorts, makeFolder, start, stopAll, until } from '../support/processes.ts'

const MEMBERS_ABOVE = 200
const START_MS = 60_000

/** From the first round to the last: what comes before is set-up. */
async function roundMs<Result extends BanditResult>(run: BanditHandle<Result>): Promise<number> {
  const seen: { readonly round: number; readonly at: number }[] = []
  for await (const { round } of run) seen.push({ round, at: performance.now() })
  await run.result
  const [first, last] = [seen[0]!, seen.at(-1)!]
  return (last.at - first.at) / (last.round - first.round)
}

/** Milliseconds of a round, by the clock. */
export async function amongProcesses(
  arms: number,
  pulls: number,
): Promise<{ readonly blind: number; readonly ring: number }> {
  const folder = await makeFolder('bandits')
  const basePort = await freePorts(arms + 2, MEMBERS_ABOVE)
  const { memberFolders } = await initGroup({ dir: folder, basePort, members: arms + 2 })
  const names = ['blind', 'ring']
  const others = memberFolders.slice(1).map((config, place) => {
    const mean = place + 1 < arms ? [String(jesterSmall[(place + 1) % jesterSmall.length])] : ['']
    return start(process.execPath, [benchProgram('bandit-arm'), config, ...mean, ...names])
  })
  const group = await join({ config: memberFolders[0]! })
  try {
    for (const name of names) await group.arm(name, group.name, () => Number(Math.random() < jesterSmall[0]!))
    for (const other of others) await until('every party has joined', () => other.output().includes('ready'), START_MS)
    const ids = memberFolders.map((_, place) => `member-${place + 1}`)
    const common = { arms: ids.slice(0, arms), budget: pulls, shuffler: ids[arms]! }
    const blind = await roundMs(group.maximise({ ...common, name: 'blind', comparator: ids[arms + 1]!, audit: false }))
    const ring = await roundMs(group.maximise({ ...common, name: 'ring', privacy: 'thesis', protocol: 'ucb-ds' }))
    return { blind, ring }
  } finally {
    await group.close()
    await stopAll()
  }
}
