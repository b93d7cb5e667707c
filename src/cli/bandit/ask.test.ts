// What `coterie bandit best` and `maximise` refuse before they join.

import { expect, it } from 'vitest'
import { type AskLine, askBest, askMaximise } from './ask.ts'

const good: AskLine = { config: 'nowhere', budget: 20, shuffler: 'north', comparator: 'south', log: 'error' }

it.each<[Partial<AskLine>, string]>([
  [{ config: undefined } as never, "which member? Name a member's folder with --config."],
  [{ budget: undefined } as never, 'how many pulls? Name them with --budget.'],
  [{ comparator: undefined } as never, 'which members shuffle and compare?'],
  [{ privacy: 'thesis', arms: ['a', 'b'] }, 'leave out --arms.'],
  [{ privacy: 'thesis', armTimeout: 5 }, 'leave out --arm-timeout.'],
])('best %o: %s', async (line, sentence) => {
  await expect(askBest('page', { ...good, ...line })).rejects.toThrow(sentence)
})

it('maximise asks for the same', async () => {
  await expect(askMaximise('page', { ...good, budget: undefined } as never)).rejects.toThrow('--budget')
})
