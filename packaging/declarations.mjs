// The declarations of a package: those that its doors reach, statement by statement, and no others. What only stands
// beside them in a file, or is imported by nothing that is left, goes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const OPTIONS = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext, types: ['node'] }

/** Writes what `entries` (paths below `from`) reach to the same paths below `to`. */
export function writeDeclarations({ from, to, entries }) {
  const doors = entries.map(entry => join(from, entry))
  const program = ts.createProgram(doors, OPTIONS)
  const reached = reachedFrom(program, doors, from)
  for (const [source, kept] of reached) {
    const target = join(to, relative(from, source.fileName))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, forOlderCompilers(textOf(source, kept)))
  }
}

/** Files, and of each the statements and the names in lists of imports and exports that are reached. */
function reachedFrom(program, doors, from) {
  const checker = program.getTypeChecker()
  const reached = new Map()
  const waiting = []
  const keep = node => {
    const source = node.getSourceFile()
    if (!source.fileName.startsWith(from)) return
    const kept = reached.get(source) ?? new Set()
    reached.set(source, kept)
    for (const each of [node, listOf(node)]) {
      if (each === undefined || kept.has(each)) continue
      kept.add(each)
      // A list is kept for the names in it that are reached, not for the others.
      if (each === node) waiting.push(each)
    }
  }
  for (const door of doors) for (const statement of program.getSourceFile(door).statements) keepWhole(statement, keep)
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) follow(node, { checker, keep })
  return reached
}

/** A statement with all its names. */
function keepWhole(statement, keep) {
  const names = namesOf(statement)
  if (names === undefined) keep(statement)
  else for (const name of names) keep(name)
}

/** The names that an import or an export lists; undefined where it has no list. */
function namesOf(statement) {
  if (ts.isExportDeclaration(statement)) return statement.exportClause?.elements
  if (!ts.isImportDeclaration(statement)) return undefined
  return statement.importClause?.namedBindings?.elements
}

function listOf(node) {
  if (ts.isExportSpecifier(node)) return node.parent.parent
  return ts.isImportSpecifier(node) ? node.parent.parent.parent : undefined
}

/** Keeps what the node names. */
function follow(node, { checker, keep }) {
  if (ts.isExportDeclaration(node)) return keepEverythingOf(node, { checker, keep })
  const visit = part => {
    if (ts.isIdentifier(part)) keepNamed(part, { checker, keep })
    ts.forEachChild(part, visit)
  }
  visit(node)
}

/** `export * from './x.ts'` of a door: everything that it gives. */
function keepEverythingOf({ moduleSpecifier }, { checker, keep }) {
  const module = moduleSpecifier && checker.getSymbolAtLocation(moduleSpecifier)
  for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module))
    keepSymbol(symbol, { checker, keep })
}

function keepNamed(name, { checker, keep }) {
  const { parent } = name
  const outside = ts.isExportSpecifier(parent) && parent.parent.parent.moduleSpecifier === undefined
  const symbol = outside ? checker.getExportSpecifierLocalTargetSymbol(parent) : checker.getSymbolAtLocation(name)
  if (symbol !== undefined) keepSymbol(symbol, { checker, keep })
}

/** Its declarations, and each step of the way there, if it comes from another file. */
function keepSymbol(symbol, { checker, keep }) {
  for (const declaration of symbol.declarations ?? []) {
    const statement = topOf(declaration)
    if (statement !== undefined) keep(statement)
  }
  if ((symbol.flags & ts.SymbolFlags.Alias) === 0) return
  const next = checker.getImmediateAliasedSymbol(symbol)
  if (next !== undefined && next !== symbol) keepSymbol(next, { checker, keep })
}

/** The statement of a file, or the name in a list, that declares it; undefined for a whole file. */
function topOf(declaration) {
  let node = declaration
  while (node !== undefined && !ts.isSourceFile(node.parent ?? node)) {
    if (listOf(node) !== undefined) return node
    node = node.parent
  }
  return node === undefined || ts.isSourceFile(node) ? undefined : node
}

/** The file with what is kept. */
function textOf(source, kept) {
  const parts = source.statements.filter(statement => kept.has(statement)).map(statement => shortened(statement, kept))
  return `${parts.join('\n').trim()}\n`
}

function shortened(statement, kept) {
  const names = namesOf(statement)
  const text = statement.getFullText().replace(/^\n+/, '')
  if (names === undefined || names.every(name => kept.has(name))) return text
  const list = names.filter(name => kept.has(name)).map(name => name.getText())
  return text.replace(/\{[^}]*\}/, `{ ${list.join(', ')} }`)
}

/** Before 5.7 they do not take './x.ts' in a declaration for './x.d.ts'; './x.js' all of them do. */
function forOlderCompilers(text) {
  const paths = text.replace(/((?:from|import)\s*\(?\s*['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2')
  // Nor do they know arrays of bytes that say what lies below them.
  return paths.replace(/\b(\w+Array)<(?:ArrayBufferLike|ArrayBuffer|SharedArrayBuffer)>/g, '$1')
}
