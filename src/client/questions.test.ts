import { expect, it } from 'vitest'
import { Unavailable } from '../core/index.ts'
import { Questions, saidBy } from './questions.ts'

it('each question hears its own answers, once', async () => {
  const questions = new Questions<string>()
  const sent: number[] = []
  const first = questions.ask(1, () => sent.push(1))
  const second = questions.ask(2, () => sent.push(2))
  questions.answered(2, ['b'])
  questions.answered(2, ['late'])
  questions.answered(3, ['for nobody'])
  questions.answered(1, ['a'])
  expect(await Promise.all([first, second])).toEqual([['a'], ['b']])
  expect(sent).toEqual([1, 2])
})

it('an answer may come before the question is out of hand', async () => {
  const questions = new Questions<string>()
  expect(await questions.ask(1, () => questions.answered(1, ['quick']))).toEqual(['quick'])
})

// No answers would be read as "nothing is locked", and "there is no object".
it('where nothing more will be heard, every question is told so', async () => {
  const questions = new Questions<string>()
  const asked = [1, 2].map(id => questions.ask(id, () => {}))
  questions.end(new Unavailable('this node ended'))
  for (const one of asked) await expect(one).rejects.toThrow('this node ended')
})

it('what was said stands with its server, in the order of the group', () => {
  const said = saidBy(['b', 'a'], server => (server === 'a' ? 'yes' : 'no answer'))
  expect(said).toEqual({ answers: { b: 'no answer', a: 'yes' }, list: 'b: no answer; a: yes.' })
})
