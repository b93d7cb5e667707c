// `log` takes a function, pino's shape, or the console's.

import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { logRule, logTo } from './log.ts'

describe('a log', () => {
  it('is a function of level, words and fields', () => {
    const said = vi.fn()
    logTo(said)('warn', 'refused', { peer: 'a' })
    expect(said).toHaveBeenCalledExactlyOnceWith('warn', 'refused', { peer: 'a' })
  })
  it('is pino, fields first', () => {
    const lines: string[] = []
    const out = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const logger = pino({ level: 'debug' }, out)
    logTo(logger)('info', 'connected', { peer: 'a' })
    logTo(logger.child({ part: 'lock' }))('debug', 'asked', {})
    expect(lines.map(line => JSON.parse(line))).toMatchObject([
      { level: 30, msg: 'connected', peer: 'a' },
      { level: 20, msg: 'asked', part: 'lock' },
    ])
  })
  it('is the console, words first', () => {
    const heard: unknown[][] = []
    const like = Object.fromEntries(
      ['debug', 'info', 'warn', 'error'].map(level => [level, (...words: unknown[]) => heard.push([level, ...words])]),
    )
    logTo(like as unknown as Console)('error', 'ended', { why: 'disk' })
    expect(heard).toEqual([['error', 'ended', { why: 'disk' }]])
    expect(logRule.fits(console)).toBe(true)
  })
  it('is never what ends a node', () => {
    const failing = () => {
      throw new Error('the disk is full')
    }
    expect(() => logTo(failing)('info', 'words', {})).not.toThrow()
  })
  it.each([null, {}, { info() {} }, 'loud', 5])('is not %o', target => {
    expect(logRule.fits(target)).toBe(false)
  })
})
