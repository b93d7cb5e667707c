// node coordinator.js MEMBER_FOLDER: a member that stands for 'jobs', to be killed while it leads.

import { join } from '../../../src/client/join.ts'
import { benchRanking, VICTIM_RANK } from '../ranking.ts'

const attributes = { rank: VICTIM_RANK }
const group = await join({ config: process.argv[2] ?? '.', attributes, ranking: benchRanking })
await group.coordinator('jobs', {
  lead: ({ signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true })),
})
process.stdout.write('joined\n')
