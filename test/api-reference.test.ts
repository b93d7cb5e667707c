import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
// @ts-expect-error a script of the documentation, without types
import { apiReference } from '../docs/reference/write-api.mjs'

const written = () => readFile(new URL('../docs/reference/api.md', import.meta.url), 'utf8')

it('the reference of the programming interface is current (npm run docs)', { timeout: 60_000 }, async () => {
  expect(await written()).toBe(apiReference())
})

it('every name says what it is for', async () => {
  const names = (await written()).split('\n### ').slice(1)
  expect(names.length).toBeGreaterThan(40)
  for (const name of names) {
    expect(name).toMatch(/```ts\n\/\*\*/)
  }
})

/** `file name` of every export of these doors that has no words at its declaration. */
function withoutWords(doors: readonly string[]): string[] {
  const program = ts.createProgram(doors, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    noLib: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const found = doors.flatMap(door =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(door)!)!),
  )
  const declared = found.map(each => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each))
  expect(new Set(declared).size).toBeGreaterThan(500)
  const silent = declared.filter(symbol => symbol.getDocumentationComment(checker).length === 0)
  const whereOf = ({ name, declarations }: ts.Symbol) => {
    const file = declarations![0]!.getSourceFile().fileName
    return `${file.slice(file.indexOf('/dist/') + 6).replace('.d.ts', '.ts')} ${name}`
  }
  return [...new Set(silent.map(whereOf))].sort()
}

it('every export of every door has words at its declaration', { timeout: 120_000 }, async () => {
  const root = new URL('../', import.meta.url)
  const { exports } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  const entries = Object.values(exports as Record<string, string | { readonly types: string }>)
  const doors = entries.flatMap(entry => (typeof entry === 'string' ? [] : fileURLToPath(new URL(entry.types, root))))
  expect(doors.length).toBeGreaterThan(15)
  expect(withoutWords(doors)).toEqual([])
})
