// The floor plan, as a test: every protocol has the same rooms, its machines speak one grammar, and nothing grows into a
// heap. docs/ARCHITECTURE.md has the picture.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Folders in which nothing speaks yet, and why: they get their rooms with their first machine. */
const WITHOUT_MACHINE: Readonly<Record<string, string>> = {}
const FOLDERS = ['lock', 'ordering', 'slots', 'election', 'membership', 'events', 'bandits', 'ledger'].filter(name =>
  existsSync(join(root, 'src', name)),
)
const PROTOCOLS = FOLDERS.filter(name => WITHOUT_MACHINE[name] === undefined)
const FILES_MAX = 30
const PARAMETERS_MAX = 5
/** The inner loop of every keyed filter: an object for its key and range would be made for every element. */
const UNROLLED = ['src/filters/hashing/halfsiphash.ts']

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : path.endsWith('.ts') && !path.endsWith('.d.ts') ? [path] : []
  })
}

const trees = new Map<string, ts.SourceFile>()
function parse(file: string): ts.SourceFile {
  let tree = trees.get(file)
  if (tree === undefined) {
    tree = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ESNext, true)
    trees.set(file, tree)
  }
  return tree
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, child => walk(child, visit))
}

const isTest = (file: string) => file.endsWith('.test.ts')
const sources = [...filesIn('src'), ...filesIn('lab')]
const lineOf = (tree: ts.SourceFile, node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart()).line + 1

describe.each(PROTOCOLS)('the floor plan of %s', protocol => {
  const own = filesIn(`src/${protocol}`).filter(file => !isTest(file))
  const machines = own.filter(file => file.endsWith('/machine.ts') && !file.includes('/proof/'))

  it('has its rooms: README, door, wire, rules, settings, machines with their states, proof with its door', () => {
    for (const room of ['README.md', 'index.ts', 'settings.ts', 'proof/index.ts']) {
      expect(existsSync(join(root, 'src', protocol, room)), `src/${protocol}/${room}`).toBe(true)
    }
    expect(own.some(file => file.endsWith('/wire.ts'))).toBe(true)
    expect(own.some(file => file.endsWith('/rules.ts'))).toBe(true)
    expect(machines.length).toBeGreaterThan(0)
    for (const machine of machines) {
      expect(existsSync(join(root, dirname(machine), 'state.ts')), `${dirname(machine)}/state.ts`).toBe(true)
    }
  })
  it('speaks one grammar: what a machine hears, the handler of that name answers', () => {
    expect(machines.flatMap(outsideTheGrammar)).toEqual([])
  })
  it('has a machine that imports no simulator and no proof', () => {
    const wrong = own
      .filter(file => !file.includes('/proof/'))
      .flatMap(file =>
        importsOf(file)
          .filter(target => target.startsWith('src/simulator/') || target.includes('/proof/'))
          .map(target => `${file} imports ${target}`),
      )
    expect(wrong).toEqual([])
  })
})

describe('the house', () => {
  it('excuses no folder from the floor plan that has a machine', () => {
    const machines = Object.keys(WITHOUT_MACHINE).flatMap(name => filesIn(`src/${name}`))
    expect(machines.filter(file => file.endsWith('/machine.ts'))).toEqual([])
  })
  it(`has no folder with more than ${FILES_MAX} files, tests apart`, () => {
    const counts = new Map<string, number>()
    for (const file of sources.filter(one => !isTest(one))) {
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > FILES_MAX)).toEqual([])
  })
  it(`has no function with more than ${PARAMETERS_MAX} parameters`, () => {
    const wrong: string[] = []
    for (const file of sources.filter(one => !isTest(one) && !UNROLLED.includes(one))) {
      const tree = parse(file)
      walk(tree, node => {
        if (!ts.isFunctionLike(node) || node.parameters.length <= PARAMETERS_MAX || !('body' in node)) return
        wrong.push(`${file}:${lineOf(tree, node)} has ${node.parameters.length}`)
      })
    }
    expect(wrong).toEqual([])
  })
  it('has no import cycle', () => {
    expect(cycles(sources.filter(file => !isTest(file)))).toEqual([])
  })
})

function importsOf(file: string): string[] {
  const found: string[] = []
  for (const statement of parse(file).statements) {
    const named = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
    const module = named ? statement.moduleSpecifier : undefined
    if (module === undefined || !ts.isStringLiteral(module) || !module.text.startsWith('.')) continue
    found.push(normalize(join(dirname(file), module.text)))
  }
  return found
}

/** Sets of files that import each other, types included, by Tarjan's algorithm. */
function cycles(files: readonly string[]): string[][] {
  const known = new Set(files)
  const found: string[][] = []
  const indexes = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): void => {
    indexes.set(file, indexes.size)
    low.set(file, indexes.get(file)!)
    stack.push(file)
    for (const target of importsOf(file).filter(one => known.has(one))) {
      if (!indexes.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!))
    }
    if (low.get(file) !== indexes.get(file)) return
    const knot = stack.splice(stack.indexOf(file))
    if (knot.length > 1) found.push(knot.sort())
  }
  for (const file of files) if (!indexes.has(file)) visit(file)
  return found
}

/**
 * `step` gives each kind of input to onStart, onMessage, onCommand, onTimer or onStop. These switch on a kind, and each
 * case is answered by the handler of that name: `case 'grant': return onGrant(…)`. Where a word is both a message and a
 * command or timer, the handler says which: onReleaseCommand, onRenewTimer. Words that are answered alike may share a
 * handler, which is named on… too.
 */
function outsideTheGrammar(machine: string): string[] {
  const tree = parse(machine)
  const wrong: string[] = []
  walk(tree, node => {
    if (!ts.isSwitchStatement(node)) return
    let words: string[] = []
    for (const clause of node.caseBlock.clauses) {
      if (!ts.isCaseClause(clause)) continue
      if (ts.isStringLiteral(clause.expression)) words.push(clause.expression.text)
      if (clause.statements.length === 0) continue
      const callee = handlerIn(clause)
      if (callee !== undefined && !isHandlerOf(callee, words)) {
        wrong.push(`${machine}:${lineOf(tree, clause)} case ${words.join(', ')} is answered by ${callee}`)
      }
      words = []
    }
  })
  return wrong
}

/** The first function of the module that the clause calls. */
function handlerIn(clause: ts.CaseClause): string | undefined {
  let found: string | undefined
  for (const statement of clause.statements) {
    walk(statement, node => {
      if (found === undefined && ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
        found = node.expression.text
      }
    })
  }
  return found
}

function isHandlerOf(callee: string, words: readonly string[]): boolean {
  if (words.length !== 1) return /^on[A-Z]/.test(callee)
  const word = words[0]!.replace(/(^|[- ])([a-z])/g, (_all, _gap, letter: string) => letter.toUpperCase())
  return [`on${word}`, `on${word}Message`, `on${word}Command`, `on${word}Timer`].includes(callee)
}
