// Every public function, used wrongly: it answers with a sentence of this library, never with a raw error, never by
// ignoring what was meant. And every public type of options has a schema with exactly its names.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as events from '../src/events/index.ts'
import * as filters from '../src/filters/index.ts'
import * as guards from '../src/guards/index.ts'
import * as coterie from '../src/index.ts'
import { type WrongStage, wrongStage } from './support/wrong-stage.ts'
import { type WrongUse, whyNotRefused } from './support/wrong-use.ts'
import { wrongUses } from './support/wrong-uses.ts'

const root = join(import.meta.dirname, '..')
let stage: WrongStage

beforeAll(async () => {
  stage = await wrongStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** What a member is asked, one who entered is asked, too. */
const ofMembers = wrongUses.filter(({ call }) => call.startsWith('JoinedGroup.'))
const numbered = (uses: readonly WrongUse[]) => uses.map((use, number) => [`${use.call} (${number})`, use] as const)

describe('a wrong use of', () => {
  it.each(numbered(wrongUses))('%s', async (_, use) => {
    expect(await whyNotRefused(use, stage, coterie.CoterieError)).toBeUndefined()
  })

  it.each(numbered(ofMembers))('%s by one who entered', async (_, use) => {
    const isEvents = use.call === 'JoinedGroup.events'
    // Without `via` it is a channel of the servers, which are asked otherwise.
    if (isEvents && !use.says.includes('via')) return
    expect(await whyNotRefused(use, stage.entered, coterie.CoterieError)).toBeUndefined()
  })
})

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : /(?<!\.test|\.d)\.ts$/.test(path) ? [path] : []
  })
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

const DOORS = {
  'src/index.ts': coterie,
  'src/events/index.ts': events,
  'src/guards/index.ts': guards,
  'src/filters/index.ts': filters,
}

/** Functions that refuse nothing, and why. */
const REFUSING_NOTHING: ReadonlySet<string> = new Set([
  // Takes nothing.
  'newAccount',
  // Undefined is their answer to what is none of theirs.
  'parseToken',
  'tokenOf',
  'staleToken',
  // Never throws: its answer says why not.
  'decodeFilter',
  // Asked of a part of a filter that was read, for every event and every filter.
  'holds',
  // Any name can be looked for.
  'Matcher.remove',
  // The bare decision, on two tokens that were checked.
  'decide',
])

/** Formulas, numbers in and a number out: src/filters/arithmetic, and what an exact window takes. */
const isFormula = (name: string) =>
  [...filesIn('src/filters/arithmetic'), 'src/filters/structures/exact-window.ts'].some(file =>
    new RegExp(`export function ${name}\\b`).test(read(file)),
  )

/** Classes of which users are given objects by others, or whose methods are another list's. */
const OTHERS: ReadonlySet<string> = new Set([
  // All of it goes through JoinedGroup: the second suite above.
  'MemberGroup',
  // Keys that are none are refused in src/filters, by every structure alike.
  ...Object.keys(filters).filter(name => name !== 'LineStream'),
  'KeyHash',
])

/** What the library gives and has no class for; other interfaces are what users bring. */
const GIVEN = ['Lease', 'Job', 'Account', 'CarriedChannel', 'OpenBandits', 'FileGuard', 'Guard']

/** The declaration behind a name that a door exports. */
function declaredIn(file: string, name: string): ts.ClassDeclaration | ts.InterfaceDeclaration | undefined {
  for (const node of ts.createSourceFile(file, read(file), ts.ScriptTarget.ESNext, true).statements) {
    if ((ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name?.text === name) return node
    const found = namesOf(node).find(one => one.as === name)
    if (found !== undefined) return declaredIn(join(dirname(file), found.from), found.name)
  }
  return undefined
}

/** What a line exports from elsewhere. */
function namesOf(node: ts.Node): { readonly as: string; readonly name: string; readonly from: string }[] {
  if (!ts.isExportDeclaration(node) || !node.moduleSpecifier || !node.exportClause) return []
  if (!ts.isNamedExports(node.exportClause)) return []
  const from = (node.moduleSpecifier as ts.StringLiteral).text
  return node.exportClause.elements.map(one => ({ as: one.name.text, name: (one.propertyName ?? one.name).text, from }))
}

/** Public methods with at least one parameter: what can be used wrongly. */
function methodsOf(node: ts.ClassDeclaration | ts.InterfaceDeclaration): string[] {
  return [...node.members].flatMap(member => {
    if (!ts.isMethodDeclaration(member) && !ts.isMethodSignature(member)) return []
    if (member.parameters.length === 0 || !ts.isIdentifier(member.name)) return []
    const isPrivate = member.modifiers?.some(one => one.kind === ts.SyntaxKind.PrivateKeyword)
    const isInternal = ts.getJSDocTags(member).some(tag => tag.tagName.text === 'internal')
    return isPrivate || isInternal ? [] : [`${node.name!.text}.${member.name.text}`]
  })
}

/** Every method of every class that a door shows, and of what else users are given. */
function publicMethods(door: string): string[] {
  const source = ts.createSourceFile(door, read(door), ts.ScriptTarget.ESNext, true)
  return source.statements.flatMap(namesOf).flatMap(({ as }) => {
    const node = declaredIn(door, as)
    if (node === undefined || OTHERS.has(as)) return []
    return ts.isClassDeclaration(node) || GIVEN.includes(as) ? methodsOf(node) : []
  })
}

describe('the list of wrong uses', () => {
  const calls = new Set(wrongUses.map(({ call }) => call))

  it.each(Object.keys(DOORS))('leaves no method out: %s', door => {
    const methods = publicMethods(door)
    expect(methods.length).toBeGreaterThan(0)
    expect(methods.filter(method => !calls.has(method) && !REFUSING_NOTHING.has(method))).toEqual([])
  })

  it.each(Object.entries(DOORS))('leaves no function out: %s', (_, door) => {
    const names = Object.entries(door).flatMap(([name, value]) => {
      const isError = typeof value === 'function' && value.prototype instanceof Error
      return typeof value === 'function' && !isError ? [name] : []
    })
    expect(names.length).toBeGreaterThan(10)
    const silent = names.filter(name => ![...calls].some(call => call === name || call.startsWith(`${name}.`)))
    expect(silent.filter(name => !REFUSING_NOTHING.has(name) && !isFormula(name))).toEqual([])
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
