// node members.js RANK MEMBER_FOLDER...: members of one group that share a process. Each stands for 'jobs' once it is told
// to (a line on standard input), and says what it sees and when, by the clock that all processes of a machine share.

import { join } from '../../../src/client/join.ts'
import type { JoinedGroup } from '../../../src/client/peers/joined-group.ts'
import { benchRanking } from '../ranking.ts'

const [first = '0', ...folders] = process.argv.slice(2)
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const say = (line: object) => process.stdout.write(`${JSON.stringify({ at: millis(), ...line })}\n`)

async function watchMembers(group: JoinedGroup): Promise<void> {
  const gone = new Set<string>()
  for await (const members of group.members()) {
    for (const { name, status } of members) {
      if ((status !== 'failed' && status !== 'left') || gone.has(name)) continue
      gone.add(name)
      say({ who: group.name, what: 'gone', name })
    }
  }
}

async function watchCoordinator(group: JoinedGroup): Promise<void> {
  for await (const { coordinator, term } of group.coordinatorOf('jobs')) {
    say({ who: group.name, what: 'sees', name: coordinator ?? '', term })
  }
}

const joined: JoinedGroup[] = []
for (const [place, config] of folders.entries()) {
  const group = await join({ config, attributes: { rank: Number(first) + place }, ranking: benchRanking })
  joined.push(group)
  void watchMembers(group)
  void watchCoordinator(group)
}
say({ what: 'joined' })
process.stdin.once('data', async () => {
  for (const group of joined) await group.coordinator('jobs', { lead: () => {} })
  say({ what: 'standing' })
})
