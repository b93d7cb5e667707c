// What a server hands out of an object, and how much of it in one answer.

import { describe, expect, it } from 'vitest'
import { propose, SERVERS, TestGroup } from '../../../test/support/ordering-group.ts'
import { CHANGE_BYTES_MAX, KEYS_MAX, type OrderingMessage } from '../wire.ts'
import { READ_BYTES_MAX } from './serving.ts'

const MIB = 2 ** 20

type Readings = OrderingMessage & { kind: 'readings' }

/** The object has this value under `big`, and nothing is under way. */
function holding(bytes: number): TestGroup {
  const made = new TestGroup(SERVERS)
  made.tell('c', 's1', propose(5, 1, 'one'))
  made.server('s1').content.table.set('big', new Uint8Array(bytes))
  return made
}

function read(made: TestGroup, from: string, keys: readonly string[], content = true): Readings {
  const [answer] = made.tell(from, 's1', { kind: 'read', object: 'o', query: 7, keys, content })
  return answer as Readings
}

describe('an answer to a read', () => {
  it.each(['c', 's2'])('of one value under very many equal keys is short: asked by %s', from => {
    const keys = Array.from({ length: KEYS_MAX }, () => 'big')
    const answer = read(holding(8 * MIB), from, keys)
    expect(answer).toMatchObject({ kind: 'readings', entries: [], committed: { version: 0 } })
  })
  it('has all values up to its bound, and none beyond: what is missing would be taken for no value', () => {
    const most = READ_BYTES_MAX / 2 - 'big'.length
    expect(read(holding(most), 'c', ['big', 'big']).entries).toHaveLength(2)
    expect(read(holding(most + 1), 'c', ['big', 'big']).entries).toEqual([])
    expect(read(holding(most + 1), 'c', ['big', 'none']).entries).toHaveLength(2)
  })
  it('has the change of an open version where it fits beside the values', () => {
    const made = holding(MIB)
    expect(read(made, 'c', ['big']).change).toEqual(made.server('s1').proposed!.change)
    const change = new Uint8Array(CHANGE_BYTES_MAX)
    made.server('s1').proposed = { ...made.server('s1').proposed!, change }
    expect(read(made, 'c', ['big']).change).toBeUndefined()
    // A server that rejoins asks for it alone: every change fits.
    expect(READ_BYTES_MAX).toBe(CHANGE_BYTES_MAX)
    expect(read(made, 's2', []).change).toHaveLength(CHANGE_BYTES_MAX)
    expect(read(made, 'c', [], false).change).toBeUndefined()
  })
})

it('a stale read does not take a value that was left out for none', () => {
  const made = holding(READ_BYTES_MAX)
  made.join('d')
  made.do('d', { kind: 'read', id: 3, object: 'o', keys: ['big', 'big'], stale: true })
  expect(made.events.filter(({ kind }) => kind === 'value')).toEqual([])
  made.do('d', { kind: 'read', id: 4, object: 'o', keys: ['none'], stale: true })
  expect(made.events.filter(({ kind }) => kind === 'value')).toMatchObject([{ id: 4, entries: [{ value: undefined }] }])
})

describe('the keys of a copy', () => {
  const page = (made: TestGroup, from: string, after: string) =>
    made.tell(from, 's1', { kind: 'page', object: 'o', query: 1, after })
  const listed = (made: TestGroup) => made.server('s1').listed!

  it('are put in order once for a version, whoever asks and however often', () => {
    const made = holding(10)
    page(made, 'c', '')
    const { keys } = listed(made)
    expect(keys).toEqual(['big'])
    for (const after of ['', 'zzz', 'a', '']) page(made, 's2', after)
    expect(listed(made).keys).toBe(keys)
  })
  it('of a later version are listed when a copy begins, and not while one goes on', () => {
    const made = holding(10)
    page(made, 'c', '')
    const first = propose(5, 1, 'one')
    made.tell('c', 's1', propose(5, 2, 'two', first.digest))
    expect(made.server('s1').content.version).toBe(1)
    page(made, 'c', 'a')
    expect(listed(made).keys).toEqual(['big'])
    expect(page(made, 'c', '')).toMatchObject([{ kind: 'entries', more: false, applied: { version: 1 } }])
    expect(listed(made).keys).toHaveLength(2)
  })
  it('are forgotten ten seconds after they were asked for last, and not before', () => {
    const made = holding(10)
    page(made, 'c', '')
    made.pass(9_000)
    expect(made.server('s1').listed).toBeDefined()
    page(made, 'c', 'a')
    made.pass(9_000)
    expect(made.server('s1').listed).toBeDefined()
    made.pass(2_000)
    expect(made.server('s1').listed).toBeUndefined()
  })
})
