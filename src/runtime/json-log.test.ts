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

it('holds nothing that a terminal obeys, whatever others chose, and reads back exactly', () => {
  const evil = '\u001b[2J\u0007\r\n\u007f\u009b31m\u202egnp.exe\u200b\u2028\ud83d \u{e0041} "end"'
  const lines: string[] = []
  const log = createLog('server-1', 'info', { write: line => lines.push(line) })
  log('warn', evil, { client: evil, what: { [evil]: [evil] } })
  const [line, ...others] = lines
  expect(others).toEqual([])
  expect(line!.endsWith('\n')).toBe(true)
  expect(line!.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
  expect(JSON.parse(line!)).toMatchObject({ msg: evil, client: evil, what: { [evil]: [evil] } })
})
