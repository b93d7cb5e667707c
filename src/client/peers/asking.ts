// A client that asks the members of a group: all that it can reach. It shows the answers of those that gave one, since
// members that see different groups for a while are no contradiction. A member that does not answer is asked again with
// the next question.

import { compose, NOTHING_SAVED, Refused, SettingsError, Unavailable } from '../../core/index.ts'
import { type MemberParts, memberVocabulary } from '../../node/member.ts'
import { questions } from '../../node/questions/machine.ts'
import type { QuestionsCommand, QuestionsEvent } from '../../node/questions/state.ts'
import type { Answer, CaughtRow, PublicSlotsStatus, Question } from '../../node/questions/wire.ts'
import { granterClock } from '../../runtime/clock.ts'
import { memberSettings } from '../../runtime/config/agreed.ts'
import { type ClientConfig, loadNodeConfig } from '../../runtime/config/config.ts'
import { Driver } from '../../runtime/driver.ts'
import { silence } from '../../runtime/log.ts'
import { createTlsTransport } from '../../runtime/transport/index.ts'
import { onWaitEnd } from '../waiting.ts'
import type { CoordinatorInfo } from './leadership.ts'
import type { MemberInfo } from './roster.ts'

/** How long a command waits for the first answer. */
export const ASK_MS = 3_000
/** After the first answer, how long the others have. */
const OTHERS_MS = 150

/** What one member answered; of members, coordinator, slots and who was caught, what was asked for. */
export interface MemberAnswer {
  readonly member: string
  readonly members: readonly MemberInfo[]
  readonly coordinator: CoordinatorInfo | undefined
  /** Why what was asked for was not begun. */
  readonly refused?: string
  readonly slots?: PublicSlotsStatus | undefined
  readonly caught?: readonly CaughtRow[]
}

export interface Asker {
  /**
   * What the members answered within `timeout`. Rejects with `Unavailable` where none did, and with `Refused` where
   * all refused to tell. Refusals to change something are answers.
   */
  ask(question: Question, timeout: number): Promise<readonly MemberAnswer[]>
  close(): Promise<void>
}

export async function openAsker(path: string): Promise<Asker> {
  const config = await loadNodeConfig(path)
  const { members } = config.group.membership
  if (members.length === 0) {
    throw new SettingsError(
      `${config.file} names no members. A group with members is made by coterie init --members N.`,
    )
  }
  if (config.role !== 'client')
    throw new SettingsError(`${config.file} is a ${config.role}'s; ask with a client's folder.`)
  let inbox: Inbox | undefined
  const driver = createDriver(config, event => inbox?.take(event))
  const asking = new Inbox(
    members.map(member => member.name),
    body => driver.command({ part: 'questions', body }),
  )
  inbox = asking
  const addresses = new Map(members.map(({ name, host, port }) => [name, { host, port }]))
  const transport = await createTlsTransport(
    {
      credentials: config,
      authority: config.authority,
      log: silence,
      addresses,
      dials: 'member',
      settings: memberSettings(config.group),
    },
    driver.events,
  )
  driver.start(transport)
  return {
    ask: (question, timeout) => asking.ask(question, timeout),
    async close() {
      await driver.stop()
      await transport.close()
    },
  }
}

function createDriver(config: ClientConfig, take: (event: QuestionsEvent) => void) {
  return new Driver({
    // It runs no other part of a member: what members say to each other is not for it.
    protocol: compose<Pick<MemberParts, 'questions'> & Partial<MemberParts>>('asker', { questions }),
    self: config.name,
    peers: [],
    vocabulary: memberVocabulary,
    clock: granterClock,
    log: silence,
    saved: NOTHING_SAVED,
    event: ({ part, body }) => {
      if (part === 'questions') take(body)
    },
    failed: () => {},
  })
}

interface Open {
  readonly question: Question
  readonly answers: MemberAnswer[]
  answered(): void
}

/** Questions under way, and what has been answered so far. */
export class Inbox {
  private readonly members: readonly string[]
  private readonly tell: (command: QuestionsCommand) => void
  private readonly open = new Map<number, Open>()
  private queries = 0

  constructor(members: readonly string[], tell: (command: QuestionsCommand) => void) {
    this.members = members
    this.tell = tell
  }

  ask(question: Question, timeout: number): Promise<readonly MemberAnswer[]> {
    const query = ++this.queries
    return new Promise((resolve, reject) => {
      const answers: MemberAnswer[] = []
      const done = () => {
        stop()
        this.open.delete(query)
        this.tell({ kind: 'end', query })
        const found = useful(question, answers)
        if (found.length > 0) return resolve(found)
        reject(nothing(answers, this.members.length, timeout))
      }
      let stop = onWaitEnd({ timeout }, done)
      const answered = () => {
        if (answers.length === this.members.length) return done()
        if (useful(question, answers).length !== 1) return
        stop()
        stop = onWaitEnd({ timeout: OTHERS_MS }, done)
      }
      this.open.set(query, { question, answers, answered })
      this.tell({ kind: 'ask', query, members: this.members, question })
    })
  }

  take(event: QuestionsEvent): void {
    const open = event.kind === 'answered' ? this.open.get(event.query) : undefined
    if (open === undefined || event.kind !== 'answered') return
    open.answers.push(answerOf(event.from, open.question, event.answer))
    open.answered()
  }
}

/** A refusal to tell is no use to somebody who wants to know; a refusal to change something is the answer. */
function useful({ kind }: Question, answers: readonly MemberAnswer[]): readonly MemberAnswer[] {
  return kind === 'admit' || kind === 'expel' ? answers : answers.filter(answer => answer.refused === undefined)
}

function nothing(answers: readonly MemberAnswer[], all: number, timeout: number): Error {
  const refusals = Object.fromEntries(answers.map(({ member, refused = '' }) => [member, refused]))
  const [first] = answers
  if (first !== undefined) return new Refused(`${first.member}: ${first.refused}`, refusals)
  return new Unavailable(`none of ${all} members answered within ${timeout} ms. Are they running?`)
}

function answerOf(member: string, question: Question, answer: Answer): MemberAnswer {
  const blank = { member, members: [], coordinator: undefined }
  switch (answer.kind) {
    case 'members': {
      const members = answer.members.map(({ attributes, ...row }) => ({
        ...row,
        attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
      }))
      return { ...blank, members }
    }
    case 'coordinator': {
      const { term, coordinator } = answer
      return {
        ...blank,
        coordinator: { name: question.kind === 'coordinator' ? question.name : '', term, coordinator },
      }
    }
    case 'slots':
      return { ...blank, slots: answer.status }
    case 'begun':
      return blank
    case 'caught':
      return { ...blank, caught: answer.caught }
    case 'refused':
      return { ...blank, refused: answer.why }
  }
}
