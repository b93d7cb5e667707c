// What a member answers to a client of its group.

import { setImmediate } from 'node:timers/promises'
import {
  type Answer,
  type PublicSlotsStatus,
  type Question,
  ROUNDS_MAX,
  ROWS_MAX,
  WAYS_MAX,
  WHY_BYTES_MAX,
} from '../../node/questions/wire.ts'
import { clientOf } from '../../runtime/transport/instance.ts'
import type { CoordinatorInfo } from './leadership.ts'
import type { MemberInfo } from './roster.ts'

/** What a client may be told of a group, by a member of it. */
interface Answering {
  list(): readonly MemberInfo[]
  coordinatorNow(name: string): CoordinatorInfo
  isOperator(client: string): boolean
  admit(member: string): Promise<number>
  expel(member: string): Promise<number>
  slotsNow(name: string): Promise<PublicSlotsStatus | undefined>
}

/** Never rejects: what cannot be answered is refused, with the reason. */
export async function answerTo(question: Question, client: string, group: Answering): Promise<Answer> {
  try {
    return await answer(question, client, group)
  } catch (error) {
    return refused((error as Error).message)
  }
}

async function answer(question: Question, client: string, group: Answering): Promise<Answer> {
  switch (question.kind) {
    case 'members':
      return membersOf(group.list())
    case 'caught':
      return caughtOf(group.list())
    case 'coordinator': {
      const { term, coordinator } = group.coordinatorNow(question.name)
      return { kind: 'coordinator', term, coordinator }
    }
    case 'slots': {
      const status = await group.slotsNow(question.name)
      return { kind: 'slots', status: status && { ...status, rounds: status.rounds.slice(0, ROUNDS_MAX) } }
    }
    case 'admit':
    case 'expel':
      if (!group.isOperator(client)) return refused(`${clientOf(client)} is not an operator`)
      return begin(group[question.kind](question.member))
  }
}

/** A member that cannot begin it knows at once; what comes of it takes an election's time, and is seen in the list. */
async function begin(change: Promise<number>): Promise<Answer> {
  await Promise.race([setImmediate(), change])
  return { kind: 'begun' }
}

function membersOf(members: readonly MemberInfo[]): Answer {
  const rows = members.slice(0, ROWS_MAX).map(({ attributes, caught: _, ...info }) => ({
    ...info,
    attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
  }))
  return { kind: 'members', members: rows, total: members.length }
}

function caughtOf(members: readonly MemberInfo[]): Answer {
  const rows = members.flatMap(({ name, caught }) =>
    caught === undefined ? [] : [{ name, ways: caught.slice(0, WAYS_MAX) }],
  )
  return { kind: 'caught', caught: rows.slice(0, ROWS_MAX) }
}

/** A character has at most three bytes for each of its units. */
const UTF8_BYTES_MAX = 3

function refused(why: string): Answer {
  return {
    kind: 'refused',
    why: why
      .toWellFormed()
      .slice(0, WHY_BYTES_MAX / UTF8_BYTES_MAX)
      .toWellFormed(),
  }
}
