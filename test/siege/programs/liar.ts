// The lying node, as a process of its own: node liar.js server|member FOLDER [SLOT,SLOT,… LEASE_MS]
// A line of JSON on its input changes what it does: {"part":"ordering","lie":"two-faced","perSecond":0}, or null.

import { createInterface } from 'node:readline'
import { type Lie, type LyingNode, startLyingMember, startLyingServer } from '../../../lab/lying-node.ts'
import { JoinedGroup } from '../../../src/client/peers/joined-group.ts'
import type { MemberEvent } from '../../../src/node/member.ts'
import { moreMemberLies, moreServerLies } from '../lies.ts'

const [role, folder, slots = '', lease = '2000'] = process.argv.slice(2)
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

/** It does what the others do, so that there is something to lie about. */
async function startMember(): Promise<LyingNode> {
  const early: MemberEvent[] = []
  let group: JoinedGroup | undefined
  const lying = await startLyingMember(folder!, moreMemberLies, event => {
    if (group === undefined) early.push(event)
    else group.event(event)
  })
  group = new JoinedGroup('liar', lying.member, {})
  for (const event of early.splice(0)) group.event(event)
  await group.coordinator('jobs', {
    lead: term => new Promise(resolve => term.signal.addEventListener('abort', () => resolve(), { once: true })),
  })
  group.slots('channels', { slots: slots.split(','), lease: Number(lease) })
  return lying
}

const node = role === 'member' ? await startMember() : await startLyingServer(folder!, moreServerLies)
createInterface({ input: process.stdin })
  .on('line', line => {
    node.tell((JSON.parse(line) as Lie | null) ?? undefined)
    say({ told: line, repeated: node.repeated() })
  })
  .on('close', () => process.exit(0))
say({ msg: 'listening' })
