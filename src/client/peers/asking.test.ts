// Questions to members: what a liar among them can do to a client, and a client to them. As many refusals as answers.

import { describe, expect, it } from 'vitest'
import { compose, createHost, decode, encode, type Host, NOTHING_SAVED } from '../../core/index.ts'
import { memberVocabulary } from '../../node/member.ts'
import { questions } from '../../node/questions/machine.ts'
import {
  ASKED_MAX,
  ASKERS_MAX,
  OWED_EACH_MAX,
  type QuestionsCommand,
  type QuestionsEvent,
  type QuestionsState,
} from '../../node/questions/state.ts'
import { type Answer, type Question, type QuestionMessage, questionsVocabulary } from '../../node/questions/wire.ts'
import { Inbox } from './asking.ts'

const members = ['anna', 'bela', 'cleo']

/** A client's node over a wire of real bytes: what cannot be decoded does not reach it, as in the driver. */
function client() {
  const sent: { to: string; body: QuestionMessage }[] = []
  const refused: string[] = []
  let heard: (event: QuestionsEvent) => void = () => {}
  const node = compose('asker', { questions })
  const none = () => {}
  const host: Host<
    unknown,
    { part: 'questions'; body: QuestionMessage },
    { part: 'questions'; body: QuestionsCommand }
  > = createHost(node, 'client', [], NOTHING_SAVED, {
    now: () => 0,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: (to, { body }) => sent.push({ to, body }),
    timer: none,
    cancel: none,
    save: none,
    forget: none,
    emit: ({ body }) => heard(body),
  })
  const tell = (body: QuestionsCommand) => host.input({ kind: 'command', body: { part: 'questions', body } })
  const frame = (from: string, bytes: Uint8Array) => {
    const decoded = decode(memberVocabulary, bytes)
    if (!decoded.ok) refused.push(decoded.refusal)
    else if (decoded.value.part === 'questions')
      host.input({ kind: 'message', from, body: { part: 'questions', body: decoded.value.body } })
  }
  const answer = (from: string, query: number, given: Answer) =>
    frame(from, encode(memberVocabulary, { part: 'questions', body: { kind: 'answer', query, answer: given } }))
  const listen = (listener: (event: QuestionsEvent) => void) => {
    heard = listener
  }
  return { host, sent, refused, tell, frame, answer, listen }
}

const leads = (coordinator: string): Answer => ({ kind: 'coordinator', term: 3, coordinator })
const question: Question = { kind: 'coordinator', name: 'jobs' }

describe('a client among members of whom one lies', () => {
  const asking = () => {
    const bed = client()
    const inbox = new Inbox(members, bed.tell)
    bed.listen(event => inbox.take(event))
    return { ...bed, inbox }
  }

  it("hears an honest answer after a liar's bytes that are none", async () => {
    const { inbox, frame, answer, refused } = asking()
    const found = inbox.ask(question, 1_000)
    for (const odd of [[2, 1, 1, 255], [2], [2, 1, 1, 1, 3, 1, 200, 0xff], [77, 1], []])
      frame('bela', Uint8Array.from(odd))
    answer('anna', 1, leads('cleo'))
    expect((await found).map(({ member, coordinator }) => [member, coordinator?.coordinator])).toEqual([
      ['anna', 'cleo'],
    ])
    expect(refused.length).toBe(5)
  })
  it('waits for the others however often one answers', async () => {
    const { inbox, answer } = asking()
    const found = inbox.ask(question, 1_000)
    for (let i = 0; i < 5; i++) answer('bela', 1, leads('bela'))
    answer('anna', 1, leads('cleo'))
    answer('cleo', 1, leads('cleo'))
    expect((await found).map(({ member }) => member)).toEqual(['bela', 'anna', 'cleo'])
  })
  it('takes no answer to what was not asked, of nobody that was not asked, and to no question of before', async () => {
    const { inbox, answer } = asking()
    const found = inbox.ask(question, 1_000)
    answer('bela', 1, { kind: 'begun' })
    answer('bela', 1, { kind: 'slots', status: undefined })
    answer('dora', 1, leads('dora'))
    answer('bela', 9, leads('bela'))
    answer('anna', 1, leads('cleo'))
    answer('bela', 1, leads('bela'))
    expect((await found).map(({ member }) => member)).toEqual(['anna', 'bela'])
  })
  it('is told why all refuse, and what those say who do not', async () => {
    const { inbox, answer } = asking()
    const all = inbox.ask(question, 1_000)
    for (const member of members) answer(member, 1, { kind: 'refused', why: 'no such name' })
    await expect(all).rejects.toThrow('anna: no such name')
    const some = inbox.ask(question, 1_000)
    answer('bela', 2, { kind: 'refused', why: 'I do not like you' })
    answer('anna', 2, leads('cleo'))
    expect((await some).map(({ member }) => member)).toEqual(['anna'])
  })
  it('hears nothing from nobody, and says so', async () => {
    const { inbox, sent } = asking()
    await expect(inbox.ask(question, 5)).rejects.toThrow('none of 3 members answered within 5 ms')
    expect(sent.map(({ to, body }) => [to, body.kind])).toEqual(members.map(to => [to, 'ask']))
  })
})

describe('a member', () => {
  it('is asked a few things at a time by each client, and answers each once', () => {
    const { host, tell, listen, sent } = client()
    const asked: QuestionsEvent[] = []
    listen(event => asked.push(event))
    const ask = (from: string, query: number) =>
      host.input({ kind: 'message', from, body: { part: 'questions', body: { kind: 'ask', query, question } } })
    for (let query = 1; query <= OWED_EACH_MAX + 3; query++) ask('nosy', query)
    ask('nosy', 1)
    ask('polite', 1)
    expect(asked.length).toBe(OWED_EACH_MAX + 1)
    for (let i = 0; i < 2; i++) tell({ kind: 'answer', query: 1, to: 'nosy', answer: leads('anna') })
    tell({ kind: 'answer', query: 99, to: 'nosy', answer: leads('anna') })
    tell({ kind: 'answer', query: 1, to: 'stranger', answer: leads('anna') })
    expect(sent.length).toBe(1)
    ask('nosy', 50)
    expect(asked.length).toBe(OWED_EACH_MAX + 2)
  })
  it.each<[string, (state: QuestionsState) => void]>([
    ['nosy is owed an answer, or not in the list', ({ owed }) => owed.set('nosy', new Set())],
    ['what nosy is owed is bounded', ({ owed }) => owed.set('nosy', new Set(Array(OWED_EACH_MAX + 1).keys()))],
    [
      'askers are bounded',
      ({ owed }) => {
        for (let i = 0; i <= ASKERS_MAX; i++) owed.set(`client-${i}`, new Set([1]))
      },
    ],
    [
      'questions under way are bounded',
      ({ asked }) => {
        for (let i = 0; i <= ASKED_MAX; i++) asked.set(i, { question, waiting: new Set() })
      },
    ],
  ])('between messages: %s', (broken, spoil) => {
    const state = questions.init('anna', [], NOTHING_SAVED)
    questions.check!(state)
    spoil(state)
    expect(() => questions.check!(state)).toThrow(broken)
  })
  it('forgets the oldest question of a process that ends none', () => {
    const { host, tell } = client()
    for (let query = 1; query <= ASKED_MAX + 5; query++) tell({ kind: 'ask', query, members, question })
    expect((host.state as { questions: { asked: Map<number, unknown> } }).questions.asked.size).toBe(ASKED_MAX)
  })
})

describe('the vocabulary', () => {
  const status = {
    name: 'desks',
    epoch: 2,
    members,
    phase: 'dealing',
    rounds: [{ number: 4, phase: 'open', checks: 1 }],
  } as const
  const row = {
    name: 'anna',
    status: 'alive',
    address: 'a:1',
    voter: true,
    attributes: [{ name: 'load', value: 0.5 }],
  } as const
  const answers: readonly Answer[] = [
    { kind: 'members', members: [row], total: 1 },
    leads('anna'),
    { kind: 'coordinator', term: 0, coordinator: undefined },
    { kind: 'slots', status },
    { kind: 'slots', status: undefined },
    { kind: 'begun' },
    { kind: 'refused', why: 'no' },
    { kind: 'caught', caught: [{ name: 'eve', ways: ['two-claims (election)'] }] },
  ]
  it.each(answers.map(answer => [JSON.stringify(answer), answer] as const))('carries %s', (_text, answer) => {
    const message: QuestionMessage = { kind: 'answer', query: 7, answer }
    expect(decode(questionsVocabulary, encode(questionsVocabulary, message))).toEqual({ ok: true, value: message })
  })
  const asks: readonly Question[] = [
    { kind: 'members' },
    question,
    { kind: 'slots', name: 'desks' },
    { kind: 'admit', member: 'dora' },
    { kind: 'expel', member: 'dora' },
    { kind: 'caught' },
  ]
  it.each(asks.map(ask => [JSON.stringify(ask), ask] as const))('carries %s', (_text, ask) => {
    const message: QuestionMessage = { kind: 'ask', query: 7, question: ask }
    expect(decode(questionsVocabulary, encode(questionsVocabulary, message))).toEqual({ ok: true, value: message })
  })
  it.each([
    ['too many members', { kind: 'members', members: Array.from({ length: 801 }, () => row), total: 801 }],
    ['a long name', { kind: 'members', members: [{ ...row, name: 'x'.repeat(101) }], total: 1 }],
    [
      'a value that is no number',
      { kind: 'members', members: [{ ...row, attributes: [{ name: 'a', value: Number.NaN }] }], total: 1 },
    ],
    ['more ways than there are', { kind: 'caught', caught: [{ name: 'eve', ways: Array(65).fill('x') }] }],
    ['a long reason', { kind: 'refused', why: 'x'.repeat(301) }],
  ] as const)('does not carry %s', (_what, answer) => {
    expect(() => encode(questionsVocabulary, { kind: 'answer', query: 1, answer: answer as Answer })).toThrow(
      RangeError,
    )
  })
})
