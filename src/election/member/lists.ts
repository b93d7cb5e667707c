// Which list a message speaks of. Nothing is voted, granted or renewed across two lists: a member that is behind is
// sent what it lacks, with the signatures that made each list the successor of the one before.

import type { NodeId } from '../../core/index.ts'
import type { MessageOf } from '../wire.ts'
import { spend } from './rate-limit.ts'
import { type ElectionScene, send } from './scene.ts'

/** Lists that one message can make us send. */
const SENT_MAX = 8
/** Members told of for the price of a signature: a member that is one full list behind asks once for each of 64 places. */
const MEMBERS_A_TOKEN = 8

/** Whether the sender has the same list; else one of the two is told. */
export function isSameList(scene: ElectionScene, from: NodeId, number: number): boolean {
  const { electorate } = scene.state
  if (electorate === undefined) return false
  if (number > electorate.number) send(scene, from, { kind: 'behind', number: electorate.number })
  if (number < electorate.number) sendLists(scene, from, number)
  return number === electorate.number
}

export function onBehind(scene: ElectionScene, from: NodeId, { number }: MessageOf<'behind'>): void {
  sendLists(scene, from, number)
}

/**
 * What follows that number, oldest first. Four bytes ask for all of it, some 300 KB of full lists, so who asks pays for it: at most
 * 5 MB a second go to one that asks without end.
 */
export function sendLists(scene: ElectionScene, to: NodeId, number: number): void {
  const following = scene.state.chain.filter(({ electorate }) => electorate.number > number)
  if (following[0]?.electorate.number !== number + 1) return
  for (const listed of following.slice(0, SENT_MAX)) {
    if (!spend(scene, to, listed.electorate.members.length / MEMBERS_A_TOKEN)) return
    send(scene, to, { kind: 'list', listed })
  }
}
