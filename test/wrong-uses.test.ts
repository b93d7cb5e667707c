// Every public function, used wrongly: it answers with a sentence of this library, never with a raw error, never by
// ignoring what was meant. And every public type of options has a schema with exactly its names.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Ledger } from '../src/client/ledger/ledger.ts'
import { JoinedGroup } from '../src/client/peers/joined-group.ts'
import { CoterieError, embedded, newAccount } from '../src/index.ts'
import { describeGenesis, fromHex } from '../src/ledger/index.ts'
import { ledgerCryptoOf } from '../src/runtime/ledger.ts'
import { type Stage, wrongUses } from './support/wrong-uses.ts'

const root = join(import.meta.dirname, '..')
let stage: Stage

beforeAll(async () => {
  const group = await embedded({ crashes: 1 })
  const node = {
    terms: { drift: 0.01, liars: 0 },
    command() {},
    now: () => 0,
    isOperator: () => false,
    async stop() {},
  }
  stage = { group, tree: group.tree(), joined: new JoinedGroup('anna', node, {}), ledger: unservedLedger() }
})
afterAll(() => Promise.all([stage.group.close(), stage.joined.close()]))

/** Refuses before anybody is asked: there is nobody. */
function unservedLedger(): Ledger {
  const servers = ['s1', 's2', 's3', 's4'].map(name => {
    return { name, key: fromHex(newAccount().key)!, salt: new Uint8Array(16) }
  })
  const genesis = {
    name: 'coins',
    asset: 'coin',
    registers: ['coins'],
    balances: [],
    operators: [],
    operatorsNeeded: 0,
  }
  // Nobody is asked anything: all that is there is what it knows of itself.
  return new Ledger(
    { newest: <T>(descriptor: T) => descriptor } as never,
    describeGenesis({ ...genesis, servers, crashes: 1, liars: 0 }, ledgerCryptoOf()),
  )
}

describe('a wrong use of', () => {
  it.each(wrongUses.map((use, number) => [`${use.call} (${number})`, use] as const))('%s', async (_, { use, says }) => {
    let error: unknown
    try {
      await use(stage)
    } catch (thrown) {
      error = thrown
    }
    expect(error, 'it was taken').toBeInstanceOf(CoterieError)
    expect((error as CoterieError).message).toContain(says)
    expect((error as CoterieError).outcome).toBe('did not happen')
  })
})

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : /(?<!\.test|\.d)\.ts$/.test(path) ? [path] : []
  })
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The public classes whose methods are called by users, and the file of each. */
const CLASSES: Readonly<Record<string, string>> = {
  Group: 'src/client/group.ts',
  SharedTree: 'src/client/objects/shared-tree.ts',
  SharedObject: 'src/client/objects/shared-object.ts',
  Recipes: 'src/client/objects/recipes.ts',
  Counter: 'src/client/recipes/counter.ts',
  Semaphore: 'src/client/recipes/semaphore.ts',
  TreeLock: 'src/client/recipes/lock.ts',
  ReadWriteLock: 'src/client/recipes/lock.ts',
  Barrier: 'src/client/recipes/barrier.ts',
  DoubleBarrier: 'src/client/recipes/double-barrier.ts',
  TreeQueue: 'src/client/recipes/queue.ts',
  Latch: 'src/client/recipes/latch.ts',
  Jobs: 'src/client/jobs/jobs.ts',
  JobWorker: 'src/client/jobs/worker.ts',
  JoinedGroup: 'src/client/peers/joined-group.ts',
  Slots: 'src/client/peers/slots.ts',
  EmbeddedGroup: 'src/client/bandits/embedded-group.ts',
  Ledger: 'src/client/ledger/ledger.ts',
  EventChannel: 'src/client/events/channel.ts',
  EventSubscription: 'src/client/events/subscription.ts',
  MemberChannel: 'src/client/member-events/channel.ts',
}

/** Public methods with at least one parameter: what can be used wrongly. */
function methodsOf(name: string, file: string): string[] {
  const found: string[] = []
  const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.ESNext, true)
  tree.forEachChild(node => {
    if (!ts.isClassDeclaration(node) || node.name?.text !== name) return
    for (const member of node.members) {
      if (!ts.isMethodDeclaration(member) || member.parameters.length === 0 || !ts.isIdentifier(member.name)) continue
      const isPrivate = member.modifiers?.some(one => one.kind === ts.SyntaxKind.PrivateKeyword)
      const isInternal = ts.getJSDocTags(member).some(tag => tag.tagName.text === 'internal')
      if (!isPrivate && !isInternal) found.push(`${name}.${member.name.text}`)
    }
  })
  return found
}

describe('the list of wrong uses', () => {
  it('leaves no method out', () => {
    const calls = new Set(wrongUses.map(({ call }) => call))
    const methods = Object.entries(CLASSES).flatMap(([name, file]) => methodsOf(name, file))
    expect(methods.length).toBeGreaterThan(40)
    expect(methods.filter(method => !calls.has(method))).toEqual([])
  })
})

/** Types of options that doors export: an interface or a type whose name says so. */
function exportedOptions(door: string): string[] {
  return [...read(door).matchAll(/\b([A-Z]\w*(?:Options|Definition|Settings|Request))\b/g)].map(match => match[1]!)
}

/** Not given by users to a function of this library: parts of other types, or the settings of one that is said below. */
const WITHOUT: ReadonlySet<string> = new Set([
  // A wait, under another name.
  'SeatOptions',
  // Base of the options of every filter.
  'HashOptions',
  // The same names as those of the table that it sorts.
  'QuotientHashTableOptions',
  // What advice and snapshots answer.
  'TableOptions',
  'SnapshotOptions',
])

describe('options', () => {
  const all = [
    ...filesIn('src/client'),
    ...filesIn('src/guards'),
    ...filesIn('src/filters'),
    ...filesIn('src/core'),
    ...filesIn('src/ledger'),
    ...filesIn('src/runtime/carriers'),
  ]
  const sources = all.map(read).join('\n')
  const doors = ['src/index.ts', 'src/guards/index.ts', 'src/filters/index.ts']

  it.each([...new Set(doors.flatMap(exportedOptions))].filter(name => !WITHOUT.has(name)))(
    '%s has a schema, whose names the compiler compares with the type',
    name => {
      const escaped = new RegExp(`(?:optionsSchema|filterOptions)<[^>]*\\b${name}\\b`)
      const composed = new RegExp(`Rules<${name}>`)
      expect(escaped.test(sources) || composed.test(sources), `optionsSchema<${name}>`).toBe(true)
    },
  )
})
