// The lying node, as a process of its own: node liar.js server|member FOLDER [NAME SLOT,SLOT,… LEASE_MS]
// A line of JSON on its input changes what it does: {"part":"ordering","lie":"two-faced","perSecond":0}, or null.
// {"slots":"other"} says in which slots it takes part besides.

import { createInterface } from 'node:readline'
import { type Lie, type LyingNode, startLyingMember, startLyingServer } from '../../../lab/lying-node.ts'
import { JoinedGroup } from '../../../src/client/peers/joined-group.ts'
import type { MemberEvent } from '../../../src/node/member.ts'
import { moreMemberLies, moreServerLies } from '../lies.ts'
import { leadForAWhile, RANKING, stand, worthOf } from './standing.ts'
import { tellForNothing } from './telling.ts'

const [role, folder, first = '', slots = '', lease = '2000'] = process.argv.slice(2)
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

let open = (_name: string): unknown => undefined

/** It does what the others do, so that there is something to lie about. */
async function startMember(): Promise<LyingNode> {
  const early: MemberEvent[] = []
  let group: JoinedGroup | undefined
  const attributes = Object.entries(worthOf(folder!)).map(([name, value]) => ({ name, value }))
  const takesPart = { ranking: RANKING, attributes }
  const lying = await startLyingMember(folder!, moreMemberLies, takesPart, event => {
    if (group === undefined) early.push(event)
    else group.event(event)
  })
  group = new JoinedGroup('liar', lying.member, {})
  for (const event of early.splice(0)) group.event(event)
  const never = () => false
  void stand(group, term => leadForAWhile(term, () => {}, never), never)
  tellForNothing(group)
  const joined = group
  open = name => joined.slots(name, { slots: slots.split(','), lease: Number(lease), onDemand: true })
  open(first)
  return lying
}

const node = role === 'member' ? await startMember() : await startLyingServer(folder!, moreServerLies)
createInterface({ input: process.stdin })
  .on('line', line => {
    const told = JSON.parse(line) as Lie | { readonly slots: string } | null
    if (told !== null && 'slots' in told) open(told.slots)
    else node.tell(told ?? undefined)
    say({ repeated: node.repeated() })
  })
  .on('close', () => process.exit(0))
say({ msg: 'listening' })
