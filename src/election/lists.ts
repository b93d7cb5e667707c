// Which list a message speaks of. Nothing is voted, granted or renewed across two lists: whoever is behind is sent what
// it lacks, with the signatures that made each list the successor of the one before.

import type { NodeId } from '../core/index.ts'
import { send } from './context.ts'
import type { Context } from './state.ts'

/** Lists that one message can make us send. */
const SENT_MAX = 8

/** Whether the sender has the same list; else one of the two is told. */
export function isSameList(context: Context, from: NodeId, number: number): boolean {
  const { electorate } = context.state
  if (electorate === undefined) return false
  if (number > electorate.number) send(context, from, { kind: 'behind', number: electorate.number })
  if (number < electorate.number) sendLists(context, from, number)
  return number === electorate.number
}

/** What follows that number, oldest first. */
export function sendLists(context: Context, to: NodeId, number: number): void {
  const following = context.state.chain.filter(({ electorate }) => electorate.number > number)
  if (following[0]?.electorate.number !== number + 1) return
  for (const listed of following.slice(0, SENT_MAX)) send(context, to, { kind: 'list', listed })
}
