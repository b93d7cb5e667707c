// What the commands about private runs refuse before they join, and what they tell.

import { expect, it } from 'vitest'
import { asked, serveArm } from './arm.ts'
import { type AskLine, askBest, askMaximise } from './ask.ts'
import { audit } from './audit.ts'
import { planOf } from './plan.ts'
import { showStatus } from './status.ts'

const good: AskLine = { config: 'nowhere', budget: 20, shuffler: 'north', comparator: 'south', log: 'error' }

it.each<[Partial<AskLine>, string]>([
  [{ config: undefined } as never, "which member? Name a member's folder with --config."],
  [{ budget: undefined } as never, 'how many pulls? Name them with --budget.'],
  [{ comparator: undefined } as never, 'which members shuffle and compare?'],
  [{ privacy: 'thesis', arms: ['a', 'b'] }, 'leave out --arms.'],
  [{ privacy: 'thesis', armTimeout: 5 }, 'leave out --arm-timeout.'],
  [{ values: { a: 1, b: 2 } }, '--values goes with --privacy thesis.'],
  [{ drawers: ['a'] }, '--drawers goes with --privacy thesis.'],
  [{ onLost: 'drop' }, '--on-lost drop: say with --arm-timeout when an arm is lost.'],
  [{ onLost: 'drop', armTimeout: 5 }, '--on-lost drop: such a run cannot be audited yet. Say --no-audit.'],
  [{ onLost: 'drop', armTimeout: 5, audit: false, rewards: [-1, 1] }, '--on-lost drop: rewards must begin at 0'],
])('best %o: %s', async (line, sentence) => {
  await expect(askBest('page', { ...good, ...line })).rejects.toThrow(sentence)
})

it('maximise asks for the same', async () => {
  await expect(askMaximise('page', { ...good, budget: undefined } as never)).rejects.toThrow('--budget')
  await expect(askMaximise('page', { ...good, protocol: 'ucb-ds' })).rejects.toThrow(
    '--protocol goes with --privacy thesis.',
  )
})

it('an arm serves one run at least; a folder and a log that are not there are named', async () => {
  await expect(serveArm('page', 'red', { config: 'nowhere', run: 'true', runs: 0, log: 'error' })).rejects.toThrow(
    '--runs is 0; an arm serves one run at least.',
  )
  await expect(showStatus('page', { config: 'nowhere' })).rejects.toThrow(
    'cannot read nowhere: there is no such folder.',
  )
  await expect(audit(['nowhere.log'], {})).rejects.toThrow('cannot read nowhere.log: there is no such file.')
})

it('the owner of an arm reads who asks for what, with whom, and what the level of the thesis shows', () => {
  const arms = [
    { arm: 'red', member: 'anna' },
    { arm: 'green', member: 'ben' },
  ]
  const common = { name: 'page', arm: 'red', user: 'ann', arms, batch: 0, rewards: [0, 1] as const, audit: true }
  const blind = { ...common, algorithm: 'ucb1', budget: 20, shuffler: 'north', comparator: 'south' }
  expect(asked({ ...blind, privacy: 'blind' })).toBe(
    'ann asks for a run of 20 pulls, ucb1, beside green of ben; north shuffles, south compares',
  )
  expect(asked({ ...blind, privacy: 'thesis', protocol: 'ucb-d' })).toContain(
    'at the level of the thesis (ucb-d): north controls it, and sees who is pulled',
  )
})

it('a plan says who must not work together, who can be audited, and what the level of the thesis shows', () => {
  const { told } = planOf(2, { algorithm: 'ucb1', budget: 20, batch: 0 })
  expect(told.join('; ')).toMatch(
    /shuffler and comparator must not.*two arms.*an auditor.*thesis keep none.*thesis whoever/,
  )
})
