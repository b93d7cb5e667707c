import { describe, expect, it } from 'vitest'
import { isHost, isName, nearest } from './fields.ts'

describe('names and hosts', () => {
  it.each(['a', 'server-1', 'till-3', 'a'.repeat(40)])('%s is a name', name => expect(isName(name)).toBe(true))
  it.each(['', 'A', '1a', '-a', 'a-', 'a b', 'a/b', '..', 'a.b', 'ä', 'a\n', 'a'.repeat(41), '__proto__'])(
    '%j is not a name',
    name => expect(isName(name)).toBe(false),
  )
  it.each(['10.0.0.1', '::1', 'localhost', 'a.example.org', 'A-1.b'])('%s is a host', host =>
    expect(isHost(host)).toBe(true),
  )
  it.each(['', '300.1.1.1', 'a..b', '-a', 'a:1', '[::1]', 'a_b', 'a b', `${'a.'.repeat(130)}b`, 'a/b', '1234'])(
    '%j is not a host',
    host => expect(isHost(host)).toBe(false),
  )
  it('the nearest known name is suggested, and none where all are far', () => {
    expect(nearest('liers', ['liars', 'crashes'])).toBe('liars')
    expect(nearest('Crashes', ['liars', 'crashes'])).toBe('crashes')
    expect(nearest('colour', ['liars', 'crashes'])).toBeUndefined()
    expect(nearest('id', ['liars', 'no'])).toBeUndefined()
  })
})
