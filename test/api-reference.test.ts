// The reference of the programming interface: current, with words for every name, complete in its types, and with
// examples that compile.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script of the documentation, without types
import * as writer from '../docs/reference/write-api.mjs'

interface Door {
  readonly name: string
  readonly entry: string
  readonly page: string
}
const doors: readonly Door[] = writer.doors
const program: ts.Program = writer.openDoors(doors.map(({ entry }) => entry))
const checker = program.getTypeChecker()
const exportsOf = ({ entry }: Door): { name: string; symbol: ts.Symbol }[] => writer.exportsOf(program, entry)

/** Doors for programs; the others are for those who build on the machines, and show what they are made of. */
const FOR_PROGRAMS = ['coterie', 'coterie/browser', 'coterie/guards', 'coterie/filters', 'coterie/events']

const read = (page: string) => readFile(new URL(`../docs/reference/${page}`, import.meta.url), 'utf8')

it('the pages are current (npm run docs)', { timeout: 120_000 }, async () => {
  const pages: Map<string, string> = writer.apiReference()
  for (const [page, text] of pages) expect(await read(page), page).toBe(text)
})

it('every name of the main door says what it is for', async () => {
  const names = (await read('api.md')).split('\n### ').slice(1)
  expect(names.length).toBeGreaterThan(40)
  for (const name of names) expect(name).toMatch(/```ts\n\/\*\*/)
})

it('every export of every door has words at its declaration', () => {
  const symbols = new Set(doors.flatMap(door => exportsOf(door).map(({ symbol }) => symbol)))
  expect(symbols.size).toBeGreaterThan(500)
  const silent = [...symbols].filter(symbol => symbol.getDocumentationComment(checker).length === 0)
  expect(silent.map(placeOf).sort()).toEqual([])
})

function placeOf({ name, declarations }: ts.Symbol): string {
  const file = declarations![0]!.getSourceFile().fileName
  return `${file.slice(file.indexOf('/dist/') + 6).replace('.d.ts', '.ts')} ${name}`
}

describe('types of public signatures can be imported, from this door or another', () => {
  for (const door of doors.filter(({ name }) => FOR_PROGRAMS.includes(name))) {
    it(door.name, () => {
      const exported = new Set(exportsOf(door).map(({ symbol }) => symbol))
      const anywhere = new Set(doors.flatMap(each => exportsOf(each).map(({ symbol }) => symbol)))
      const missing = [...exported].flatMap(symbol =>
        (symbol.declarations ?? [])
          .flatMap(namedIn)
          .filter(named => !anywhere.has(named))
          .map(named => `${placeOf(named)}, named by ${symbol.name}`),
      )
      expect([...new Set(missing)]).toEqual([])
    })
  }
})

/** The types of this project that a declaration names where a program can see it. */
function namedIn(declaration: ts.Node): ts.Symbol[] {
  const found: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isClassElement(node) && writer.isPrivate(node)) return
    const name = nameOf(node)
    if (name !== undefined) {
      const symbol = checker.getSymbolAtLocation(ts.isQualifiedName(name) ? name.right : name)
      const resolved = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const file = resolved?.declarations?.[0]?.getSourceFile().fileName
      if (resolved && file?.includes('/dist/') && !(resolved.flags & ts.SymbolFlags.TypeParameter)) found.push(resolved)
    }
    ts.forEachChild(node, visit)
  }
  visit(declaration)
  return found
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isTypeQueryNode(node)) return node.exprName
  return undefined
}

/** What an example may use without saying where it comes from. */
const PRELUDE = `import * as coterie from 'coterie'
declare const group: coterie.Group
declare const tree: coterie.SharedTree
declare const path: string
`

/** The types that a new user meets first are shown in use. */
const SHOWN = ['Lease', 'TreeCondition', 'TreeWrite', 'TreeWriteResult', 'Stat', 'TreeEvent', 'Log']

describe('examples', () => {
  const examples = exportsOf(doors[0]!).flatMap(({ name, symbol }) =>
    symbol
      .getJsDocTags(checker)
      .filter(tag => tag.name === 'example')
      .map(tag => ({ name, code: ts.displayPartsToString(tag.text).replace(/^```ts\n|\n```$/g, '') })),
  )

  it('are there for the types that one meets first', () => {
    const shown = new Set(examples.map(({ name }) => name))
    expect(SHOWN.filter(name => !shown.has(name))).toEqual([])
  })

  it('compile', { timeout: 60_000 }, () => {
    const root = fileURLToPath(new URL('../', import.meta.url))
    const texts = new Map(
      examples.map(({ name, code }, place) => [`${root}example-${place}-${name}.ts`, PRELUDE + code]),
    )
    const options: ts.CompilerOptions = {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    const host = ts.createCompilerHost(options)
    const { getSourceFile, fileExists, readFile: readText } = host
    host.fileExists = file => texts.has(file) || fileExists(file)
    host.readFile = file => texts.get(file) ?? readText(file)
    host.getSourceFile = (file, language) => {
      const text = texts.get(file)
      return text === undefined ? getSourceFile(file, language) : ts.createSourceFile(file, text, language)
    }
    const wrong = ts.getPreEmitDiagnostics(ts.createProgram([...texts.keys()], options, host))
    expect(
      wrong.map(
        each => `${each.file?.fileName.split('/').at(-1)}: ${ts.flattenDiagnosticMessageText(each.messageText, '\n')}`,
      ),
    ).toEqual([])
  })
})
