import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { limitNotAllowed, limitRefusedMessages, REFUSED_LINES_MAX, REFUSED_REASONS_MAX } from './message-refusals.ts'

type Line = [message: string, fields: Readonly<Record<string, unknown>>]

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function recorded() {
  const lines: Line[] = []
  return { lines, refused: limitRefusedMessages((_level, message, fields) => lines.push([message, fields])) }
}

it('logs a few refusals of a peer and reason, and a minute later how many more there were', () => {
  const { lines, refused } = recorded()
  for (let i = 0; i < 16_000; i++) refused('server-1', 'no such word')
  expect(lines).toHaveLength(REFUSED_LINES_MAX)
  vi.advanceTimersByTime(59_999)
  expect(lines).toHaveLength(REFUSED_LINES_MAX)
  vi.advanceTimersByTime(1)
  expect(lines.at(-1)).toEqual([
    'message refused: and 15,995 more',
    { peer: 'server-1', why: 'no such word', count: 15_995 },
  ])
})
it('begins anew each minute', () => {
  const { lines, refused } = recorded()
  for (let i = 0; i < REFUSED_LINES_MAX; i++) refused('a', 'x')
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(REFUSED_LINES_MAX)
  refused('a', 'x')
  expect(lines).toHaveLength(REFUSED_LINES_MAX + 1)
})
it('has an account for each peer: one that floods does not silence another', () => {
  const { lines, refused } = recorded()
  for (let i = 0; i < 100; i++) refused('liar', 'x')
  refused('b', 'x')
  expect(lines.at(-1)).toEqual(['message refused', { from: 'b', why: 'x' }])
})
it('a peer that invents reasons, and processes of its own, gains nothing', () => {
  const { lines, refused } = recorded()
  for (let i = 0; i < 160_000; i++) refused(`eve#${(i % 1000).toString(16).padStart(8, '0')}`, `reason ${i}`)
  vi.advanceTimersByTime(60_000)
  expect(lines.length).toBeLessThanOrEqual((REFUSED_REASONS_MAX + 1) * (REFUSED_LINES_MAX + 1))
})
it('what only operators may ask for has a few lines, each with what was asked, and then a count', () => {
  const lines: Line[] = []
  const notAllowed = limitNotAllowed((_level, message, fields) => lines.push([message, fields]))
  const why = 'unlock by force refused: no operator'
  for (let i = 0; i < 1_000; i++) notAllowed(`eve#${i % 10}`, why, { lock: `lock ${i}` })
  notAllowed('ann#1', why, { lock: 'a' })
  expect(lines).toHaveLength(REFUSED_LINES_MAX + 1)
  expect(lines[0]).toEqual([why, { lock: 'lock 0', by: 'eve#0' }])
  expect(lines.at(-1)).toEqual([why, { lock: 'a', by: 'ann#1' }])
  vi.advanceTimersByTime(60_000)
  expect(lines.at(-1)).toEqual(['not allowed: and 995 more', { peer: 'eve', why, count: 995 }])
})
