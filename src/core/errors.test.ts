// An error says whether the thing may have happened, who said what, and what to do.

import { describe, expect, it } from 'vitest'
import { CoterieError, FileError, LeaseLost, NotAcquired, Refused, SettingsError, Unavailable } from './errors.ts'

describe('errors', () => {
  it.each([
    [new SettingsError('x'), 'did not happen'],
    [new NotAcquired('a', 'contended', {}, 'in 1 s'), 'did not happen'],
    [new Refused('x'), 'did not happen'],
    [new FileError('x'), 'did not happen'],
    [new Unavailable('x'), 'did not happen'],
    [new LeaseLost('a', 'it ran out'), 'may have happened'],
  ] as const)('%s: %s', (error, outcome) => {
    expect(error).toBeInstanceOf(CoterieError)
    expect(error).toBeInstanceOf(Error)
    expect(error.outcome).toBe(outcome)
    expect(error.name).toBe(error.constructor.name)
    expect(error.answers).toEqual({})
  })

  it('a lock that was not acquired names the lock, the reason, the answers and what to do', () => {
    const error = new NotAcquired(
      'invoices',
      'unreachable',
      { 'server-1': 'no answer', 'server-2': 'granted' },
      'in 2 s',
    )
    expect(error.message).toBe(
      "lock 'invoices' was not acquired in 2 s: too few servers answered. Check that they run (coterie status)." +
        ' Answers: server-1: no answer; server-2: granted.',
    )
    expect(error.reason).toBe('unreachable')
    expect(error.answers).toEqual({ 'server-1': 'no answer', 'server-2': 'granted' })
  })

  it.each(['contended', 'unreachable', 'recovering', 'cancelled'] as const)('%s is a sentence', reason =>
    expect(new NotAcquired('a', reason, {}, 'at once').message).toMatch(/^lock 'a' was not acquired at once: .+\.$/),
  )
})
