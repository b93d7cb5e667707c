// What a server's log looks like to the program that reads it.

import { expect, it } from 'vitest'
import { createLog } from './json-log.ts'

it('has names of levels, not numbers', () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('server-1', 'debug', { write: line => lines.push(JSON.parse(line)) })
  const levels = ['debug', 'info', 'warn', 'error'] as const
  for (const level of levels) log(level, 'said', { peer: 'a' })
  expect(lines.map(({ level, msg, node, peer }) => [level, msg, node, peer])).toEqual(
    levels.map(level => [level, 'said', 'server-1', 'a']),
  )
})
