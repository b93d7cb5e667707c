// LECTURE "ZooKeeper": a namespace like that of a file system, versions, ephemeral and sequential nodes, notifications.

import { describe, expect, it } from 'vitest'
import { decode, encode, type Random, seededRandom } from '../../core/index.ts'
import { applyTree, endSession, treeApplier } from './apply.ts'
import type { Stat } from './entries.ts'
import { changesIn, changesSince, eventsFor, lastChange, RING, type TreeChange } from './events.ts'
import { noLeases } from './leases.ts'
import { OWNED_MAX } from './links.ts'
import { operationCodec, resultCodec, type TreeOperation, type TreeResult, type TreeWrite } from './operations.ts'
import { isPath, parentOf, sequenced } from './paths.ts'
import type { TableView } from './view.ts'

/** A table that counts how often it is asked. It has no way to ask for a range of keys. */
class Table implements TableView {
  readonly entries = new Map<string, Uint8Array>()
  touched = 0
  written = new Map<string, Uint8Array | undefined>()

  get(key: string): Uint8Array | undefined {
    this.touched++
    return this.entries.get(key)
  }
  set(key: string, value: Uint8Array): void {
    this.touched++
    this.entries.set(key, value)
    this.written.set(key, value)
  }
  remove(key: string): void {
    this.touched++
    this.entries.delete(key)
    this.written.set(key, undefined)
  }
  /** The writes since the last look, as a version of the object would carry them. */
  change() {
    const writes = [...this.written].map(([key, value]) => ({ key, value }))
    this.written = new Map()
    return writes
  }
}

const value = (...items: number[]) => new Uint8Array(items)
const create = (path: string, more: Partial<TreeWrite & { kind: 'create' }> = {}): TreeOperation => ({
  kind: 'create',
  path,
  value: value(),
  ephemeral: false,
  sequential: false,
  ...more,
})
const set = (path: string, to: Uint8Array, version?: number): TreeOperation => ({
  kind: 'set',
  path,
  value: to,
  version,
})
const remove = (path: string, version?: number): TreeOperation => ({ kind: 'delete', path, version })
const get = (path: string): TreeOperation => ({ kind: 'get', path })
const list = (path: string, after?: string, limit = 1_000): TreeOperation => ({ kind: 'list', path, after, limit })

function code(result: TreeResult): string {
  return result.kind === 'error' ? result.code : result.kind
}
function names(table: Table, path: string): readonly string[] {
  const result = applyTree(table, list(path), 'any')
  return result.kind === 'names' ? result.names : []
}
const planted = (...operations: TreeOperation[]) => {
  const table = new Table()
  for (const operation of operations) applyTree(table, operation, 'one')
  return table
}

describe('operations', () => {
  it('create, set with the version expected, get, delete', () => {
    const table = planted(create('/a', { value: value(1) }))
    expect(applyTree(table, set('/a', value(2), 0), 'one')).toMatchObject({ kind: 'changed', stat: { version: 1 } })
    expect(applyTree(table, get('/a'), 'one')).toEqual({
      kind: 'found',
      value: value(2),
      stat: { created: 1, modified: 2, version: 1, childrenVersion: 0, children: 0, owner: undefined },
    })
    expect(code(applyTree(table, set('/a', value(3), 0), 'one'))).toBe('bad-version')
    expect(code(applyTree(table, remove('/a', 0), 'one'))).toBe('bad-version')
    expect(code(applyTree(table, remove('/a', 1), 'one'))).toBe('deleted')
    expect(code(applyTree(table, get('/a'), 'one'))).toBe('no-entry')
  })

  it.each<[string, TreeOperation]>([
    ['exists', create('/a')],
    ['exists', create('/')],
    ['no-parent', create('/x/y')],
    ['ephemeral-parent', create('/e/child')],
    ['bad-path', create('a')],
    ['bad-path', create('/a/')],
    ['bad-path', create('/a//b')],
    ['bad-path', create('/a/..')],
    ['bad-path', create('/a/\u0007')],
    ['bad-path', create(`/${'x'.repeat(995)}`, { sequential: true })],
    ['no-entry', set('/x', value())],
    ['no-entry', remove('/x')],
    ['bad-version', set('/a', value(), 7)],
    ['not-empty', remove('/a')],
    ['bad-path', remove('/')],
    ['no-entry', list('/x')],
    ['no-entry', list('/a', 'gone')],
    ['bad-path', list('/a', 'x'.repeat(999))],
  ])('%s, and nothing is written', (expected, operation) => {
    const table = planted(create('/a'), create('/a/b'), create('/e', { ephemeral: true }))
    table.change()
    const answer = treeApplier.apply(table, encode(operationCodec, operation), { session: 'one' })
    const result = decode(resultCodec, answer)
    expect(result.ok && code(result.value)).toBe(expected)
    expect(table.change()).toEqual([])
  })

  it('sequential names count up and are never given twice, also after deletion', () => {
    const table = planted(create('/q'))
    const paths: string[] = []
    for (let at = 0; at < 3; at++) {
      const result = applyTree(table, create('/q/n-', { sequential: true }), 'one')
      if (result.kind === 'created') paths.push(result.path)
      applyTree(table, remove(paths.at(-1)!), 'one')
    }
    expect(paths).toEqual(['/q/n-0000000000', '/q/n-0000000001', '/q/n-0000000002'])
  })

  it('no two entries share a creation number, and later ones have larger ones', () => {
    const table = planted()
    const made = ['/a', '/b', '/a/c'].map(path => applyTree(table, create(path), 'one'))
    expect(made.map(result => result.kind === 'created' && result.stat.created)).toEqual([1, 2, 3])
  })

  it('lists in order of creation, page by page', () => {
    const table = planted(create('/d'), ...['z', 'a', 'm', 'b'].map(name => create(`/d/${name}`)))
    expect(names(table, '/d')).toEqual(['z', 'a', 'm', 'b'])
    expect(applyTree(table, list('/d', undefined, 3), 'x')).toMatchObject({ names: ['z', 'a', 'm'], more: true })
    expect(applyTree(table, list('/d', 'm', 3), 'x')).toMatchObject({ names: ['b'], more: false })
    applyTree(table, remove('/d/a'), 'one')
    applyTree(table, remove('/d/z'), 'one')
    expect(names(table, '/d')).toEqual(['m', 'b'])
    applyTree(table, remove('/d/b'), 'one')
    applyTree(table, create('/d/z'), 'one')
    expect(names(table, '/d')).toEqual(['m', 'z'])
  })

  it('pages of a list fit into an answer, however long the names', () => {
    const table = planted(create('/d'))
    for (let at = 0; at < 400; at++) applyTree(table, create(`/d/${'é'.repeat(450)}${at}`), 'one')
    const seen: string[] = []
    for (let after: string | undefined, more = true; more; after = seen.at(-1)) {
      const answer = treeApplier.apply(table, encode(operationCodec, list('/d', after, 10_000)), { session: 'one' })
      expect(answer.length).toBeLessThan(2 ** 18)
      const page = decode(resultCodec, answer)
      if (!page.ok || page.value.kind !== 'names') throw new Error('no page')
      seen.push(...page.value.names)
      more = page.value.more
    }
    expect(new Set(seen).size).toBe(400)
  })

  it('a large value lies apart, is too large for an answer, and goes with its entry', () => {
    const table = planted(create('/big', { value: new Uint8Array(300_000) }), create('/next'))
    table.change()
    expect(code(applyTree(table, get('/big'), 'one'))).toBe('too-large')
    applyTree(table, create('/third'), 'one')
    expect(Math.max(...table.change().map(write => write.value?.length ?? 0))).toBeLessThan(1_000)
    applyTree(table, set('/big', value(1)), 'one')
    expect(applyTree(table, get('/big'), 'one')).toMatchObject({ value: value(1) })
    expect(table.entries.has('v/big')).toBe(false)
    applyTree(table, set('/big', new Uint8Array(1_000)), 'one')
    applyTree(table, remove('/big'), 'one')
    expect([...table.entries.keys()].filter(key => key.includes('big'))).toEqual([])
  })

  it('cost does not grow with the siblings', () => {
    const cost = (siblings: number) => {
      const table = planted(create('/d'))
      for (let at = 0; at < siblings; at++) applyTree(table, create(`/d/n${at}`, { ephemeral: at < 900 }), 'one')
      table.touched = 0
      applyTree(table, create('/d/new', { ephemeral: true, sequential: true }), 'one')
      applyTree(table, set('/d/n5', value(1)), 'one')
      applyTree(table, get('/d/n6'), 'one')
      applyTree(table, remove('/d/n7'), 'one')
      return { touched: table.touched, written: table.written.size }
    }
    expect(cost(5_000).touched).toBe(cost(20).touched)
    expect(cost(20).touched).toBeLessThan(60)
  })

  it('odd bytes are malformed, never thrown at', () => {
    const random = seededRandom(1)
    const codes = new Set<string>()
    for (let run = 0; run < 3_000; run++) {
      const table = planted(create('/a'))
      const good = encode(operationCodec, [create('/a/b'), remove('/a'), list('/a')][run % 3]!)
      if (run % 2 === 0) good[random.below(good.length)] = random.below(256)
      const bytes = run % 2 === 0 ? good : random.bytes(random.below(40))
      const result = decode(resultCodec, treeApplier.apply(table, bytes, { session: 's' }))
      expect(result.ok).toBe(true)
      if (result.ok) codes.add(code(result.value))
    }
    expect([...codes]).toContain('malformed')
  })
})

describe('transactions', () => {
  const txn = (
    conditions: (TreeOperation & { kind: 'txn' })['conditions'],
    ...writes: TreeOperation[]
  ): TreeOperation => ({ kind: 'txn', conditions, writes: writes as TreeWrite[] })

  it('do all, and see what they did before', () => {
    const table = planted()
    const result = applyTree(table, txn([], create('/a'), create('/a/b'), set('/a', value(1))), 'one')
    expect(result).toMatchObject({
      kind: 'done',
      results: [{ kind: 'created' }, { path: '/a/b' }, { kind: 'changed' }],
    })
    expect(names(table, '/a')).toEqual(['b'])
  })
  it('or nothing, and name the write that failed', () => {
    const table = planted(create('/a'))
    table.change()
    const result = applyTree(table, txn([], create('/b'), remove('/a'), set('/x', value())), 'one')
    expect(result).toEqual({ kind: 'error', code: 'no-entry', path: '/x', at: 2 })
    expect(table.change()).toEqual([])
  })
  it.each<[string, (TreeOperation & { kind: 'txn' })['conditions'][number], boolean]>([
    ['exists', { kind: 'exists', path: '/a' }, true],
    ['exists', { kind: 'exists', path: '/x' }, false],
    ['absent', { kind: 'absent', path: '/x' }, true],
    ['absent', { kind: 'absent', path: '/a' }, false],
    ['version', { kind: 'version', path: '/a', version: 0 }, true],
    ['version', { kind: 'version', path: '/a', version: 1 }, false],
    ['version', { kind: 'version', path: '/x', version: 0 }, false],
    ['value', { kind: 'value', path: '/a', value: value(4) }, true],
    ['value', { kind: 'value', path: '/a', value: value(4, 0) }, false],
    ['childrenVersion', { kind: 'childrenVersion', path: '/a', version: 1 }, true],
    ['childrenVersion', { kind: 'childrenVersion', path: '/a', version: 0 }, false],
  ])('condition %s %o holds: %s', (_, condition, holds) => {
    const table = planted(create('/a', { value: value(4) }), create('/a/b'))
    const result = applyTree(table, txn([{ kind: 'exists', path: '/' }, condition], create('/new')), 'one')
    if (holds) expect(result.kind).toBe('done')
    else expect(result).toEqual({ kind: 'error', code: 'condition', path: condition.path, at: 1 })
    expect(names(table, '/').includes('new')).toBe(holds)
  })
})

describe('sessions', () => {
  it('take their entries with them, and nobody else’s', () => {
    const table = planted(create('/d'))
    for (const [session, name] of ['x1', 'y1', 'x2', 'y2', 'x3'].map(text => [text[0]!, text] as const)) {
      applyTree(table, create(`/d/${name}`, { ephemeral: true }), session)
    }
    applyTree(table, remove('/d/x2'), 'y')
    endSession(table, 'x')
    expect(names(table, '/d')).toEqual(['y1', 'y2'])
    endSession(table, 'x')
    endSession(table, 'y')
    expect(names(table, '/d')).toEqual([])
    expect([...table.entries.keys()].filter(key => key.startsWith('s'))).toEqual([])
  })
  it('have a limit, which is an answer', () => {
    const table = planted()
    for (let at = 0; at < OWNED_MAX; at++) applyTree(table, create(`/n${at}`, { ephemeral: true }), 'one')
    expect(code(applyTree(table, create('/more', { ephemeral: true }), 'one'))).toBe('too-many')
    expect(code(applyTree(table, create('/more', { ephemeral: true }), 'two'))).toBe('created')
    endSession(table, 'one')
    expect(names(table, '/')).toEqual(['more'])
  })
})

describe('what watchers see', () => {
  it('every change once and in order, also of many operations in one version', () => {
    const table = planted(create('/a'), set('/a', value(1)), set('/a', value(2)), create('/a/b'), remove('/a/b'))
    const seen = changesIn(table.change())
    expect(seen.map(({ change, kind, path }) => `${change} ${kind} ${path}`)).toEqual([
      '1 created /a',
      '2 changed /a',
      '3 changed /a',
      '4 created /a/b',
      '5 deleted /a/b',
    ])
    expect(changesSince(table, 3)).toEqual(seen.slice(3))
    expect(changesSince(table, lastChange(table))).toEqual([])
  })
  it('after more than the ring holds, that something is missing', () => {
    const table = planted(create('/a'))
    for (let at = 0; at < RING; at++) applyTree(table, set('/a', value()), 'one')
    expect(changesSince(table, 0)).toBeUndefined()
    expect(changesSince(table, 1)?.length).toBe(RING)
  })
  it('of a path, of its children, of all below', () => {
    const told = (kind: TreeChange['kind'], path: string, watched: string, subtree: boolean) =>
      eventsFor({ change: 1, kind, path }, watched, subtree).map(event => `${event.kind} ${event.path}`)
    expect(told('changed', '/a', '/a', false)).toEqual(['changed /a'])
    expect(told('created', '/a/b', '/a', false)).toEqual(['children /a'])
    expect(told('changed', '/a/b', '/a', false)).toEqual([])
    expect(told('created', '/a/b/c', '/a', false)).toEqual([])
    expect(told('deleted', '/a/b/c', '/a', true)).toEqual(['deleted /a/b/c', 'children /a/b'])
    expect(told('created', '/ab', '/a', true)).toEqual([])
    expect(told('created', '/a', '/', false)).toEqual(['children /'])
    expect(told('created', '/a', '/', true)).toEqual(['created /a', 'children /'])
  })
})

/** The tree as one would write it without a thought for cost. */
class Twin {
  private readonly nodes = new Map<string, { stat: Stat; value: Uint8Array; sequence: number }>()
  private change = 0

  constructor() {
    this.nodes.set('/', { stat: this.newStat(0, undefined), value: value(), sequence: 0 })
  }

  apply(operation: TreeOperation, session: string): unknown {
    const node = this.nodes.get('path' in operation ? operation.path : '/')
    switch (operation.kind) {
      case 'create':
        return this.create(operation, session)
      case 'set':
        if (node === undefined) return 'no-entry'
        if (operation.version !== undefined && operation.version !== node.stat.version) return 'bad-version'
        node.stat = { ...node.stat, version: node.stat.version + 1, modified: ++this.change }
        node.value = operation.value
        return node.stat
      case 'delete':
        if (operation.path === '/') return 'bad-path'
        if (node === undefined) return 'no-entry'
        if (operation.version !== undefined && operation.version !== node.stat.version) return 'bad-version'
        return node.stat.children > 0 ? 'not-empty' : this.delete(operation.path)
      case 'get':
        return node === undefined ? 'no-entry' : [node.value, node.stat]
      case 'exists':
        return node?.stat
      case 'list':
        return node === undefined ? 'no-entry' : this.children(operation.path)
      case 'attach':
        if (operation.path === '/') return 'bad-path'
        if (node === undefined) return 'no-entry'
        if (node.stat.children > 0) return 'not-empty'
        if (operation.lease === 'gone') return 'no-lease'
        node.stat = { ...node.stat, owner: operation.lease }
        return node.stat
      default:
        throw new Error('not in the twin')
    }
  }

  end(session: string): void {
    for (const [path, { stat }] of [...this.nodes].reverse()) if (stat.owner === session) this.delete(path)
  }

  private newStat(created: number, owner: string | undefined): Stat {
    return { created, modified: created, version: 0, childrenVersion: 0, children: 0, owner }
  }

  private create(operation: TreeOperation & { kind: 'create' }, session: string): unknown {
    if (operation.path === '/') return 'exists'
    const parent = this.nodes.get(parentOf(operation.path))
    if (parent === undefined) return 'no-parent'
    if (parent.stat.owner !== undefined) return 'ephemeral-parent'
    const path = operation.sequential ? sequenced(operation.path, parent.sequence) : operation.path
    if (this.nodes.has(path)) return 'exists'
    if (operation.sequential) parent.sequence++
    const stat = this.newStat(++this.change, operation.ephemeral ? session : undefined)
    this.nodes.set(path, { stat, value: operation.value, sequence: 0 })
    this.counted(path, 1)
    return [path, stat]
  }

  private delete(path: string): string {
    this.change++
    this.nodes.delete(path)
    this.counted(path, -1)
    return 'deleted'
  }

  private counted(path: string, by: number): void {
    const parent = this.nodes.get(parentOf(path))!
    const { children, childrenVersion } = parent.stat
    parent.stat = { ...parent.stat, children: children + by, childrenVersion: childrenVersion + 1 }
  }

  private children(path: string): string[] {
    return [...this.nodes.keys()]
      .filter(one => one !== '/' && parentOf(one) === path)
      .map(one => one.slice(one.lastIndexOf('/') + 1))
  }
}

function drawOperation(random: Random): TreeOperation {
  const steps = Array.from({ length: 1 + random.below(2) }, () => 'abc'[random.below(3)])
  const path = random.below(30) === 0 ? '/' : `/${steps.join('/')}`
  const version = random.chance(0.2) ? random.below(3) : undefined
  const large = random.below(10) === 0 ? 600 : 3
  if (random.below(8) === 0) {
    const lease = random.below(4) === 0 ? undefined : ['x', 'y', 'z', 'gone', 'gone'][random.below(5)]
    return { kind: 'attach', path, lease, ttl: undefined }
  }
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return create(path, {
        value: random.bytes(large),
        ephemeral: random.chance(0.3),
        sequential: random.chance(0.2),
      })
    case 3:
      return set(path, random.bytes(large), version)
    case 4:
    case 5:
      return remove(path, version)
    case 6:
      return random.chance(0.5) ? get(path) : { kind: 'exists', path }
    default:
      return list(path)
  }
}

/** In the twin's words. */
function told(result: TreeResult): unknown {
  switch (result.kind) {
    case 'created':
      return [result.path, result.stat]
    case 'changed':
    case 'stat':
      return result.stat
    case 'found':
      return [result.value, result.stat]
    case 'names':
      return result.names
    case 'error':
      return result.code
    default:
      return result.kind
  }
}

describe('agrees with a tree written without a thought for cost', () => {
  it('over long random histories with sessions that end', () => {
    const random = seededRandom(11)
    const answers = new Map<string, number>()
    // Sessions stand for leases as well: entries are bound to both in the same way.
    const leases = { ...noLeases, has: (lease: string) => 'xyz'.includes(lease) }
    for (let run = 0; run < 60; run++) {
      const table = new Table()
      const twin = new Twin()
      let last = 0
      for (let at = 0; at < 150; at++) {
        const session = 'xyz'[random.below(3)]!
        if (random.below(25) === 0) {
          endSession(table, session)
          twin.end(session)
          continue
        }
        const operation = drawOperation(random)
        const result = applyTree(table, operation, session, leases)
        expect(told(result), `run ${run}, operation ${at}`).toEqual(twin.apply(operation, session))
        answers.set(code(result), (answers.get(code(result)) ?? 0) + 1)
        const changes = changesIn(table.change()).map(({ change }) => change)
        expect(changes).toEqual(Array.from({ length: lastChange(table) - last }, (_, place) => last + place + 1))
        last = lastChange(table)
      }
    }
    for (const expected of [
      'created',
      'changed',
      'deleted',
      'found',
      'names',
      'no-lease',
      'not-empty',
      'ephemeral-parent',
      'exists',
    ])
      expect(answers.get(expected) ?? 0, expected).toBeGreaterThan(50)
  })
})

describe('paths', () => {
  it.each(['/', '/a', '/a/b', '/a b', '/é', '/a.b/...'])('accepts %s', path => expect(isPath(path)).toBe(true))
  it.each(['', 'a', '//', '/a/', '/./a', '/a/..', '/\n', `/${'x'.repeat(1_000)}`, '/\ud800'])('refuses %j', path =>
    expect(isPath(path)).toBe(false),
  )
})
