// npm run docs: writes the reference of the programming interface from the declarations that the build emits.
//
// What stands in the reference is what a program sees: every name that `coterie` exports, with the words written above
// it in the source, and without private members.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = new URL('../../', import.meta.url)
const entry = fileURLToPath(new URL('dist/src/index.d.ts', root))
const file = fileURLToPath(new URL('api.md', import.meta.url))

/** Which file's exports belong to which chapter, first match first. */
const CHAPTERS = [
  ['Groups and how to reach them', /client\/(connect|embedded|group|inspect|inspect-objects|waiting)\.d\.ts$/],
  ['Locks', /client\/(lease|force)\.d\.ts$/],
  ['Objects and the tree', /client\/(objects\/(?!recipes)|recipes\/tree)/],
  ['Recipes', /client\/(recipes|objects\/recipes)/],
  ['Members, coordinators and slots', /client\/(join|joining|peers)|election|membership/],
  ['Ledgers', /client\/ledger\/|src\/ledger\//],
  ['Trust and errors', /core\//],
]

export function apiReference() {
  const program = ts.createProgram([entry], { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} is missing: run npm run build first`)
  const printer = ts.createPrinter({ newLine: ts.NewLineKind.LineFeed })
  const chapters = new Map(CHAPTERS.map(([title]) => [title, []]))
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const declarations = symbol.getDeclarations() ?? []
    const path = declarations[0].getSourceFile().fileName
    const title = CHAPTERS.find(([, pattern]) => pattern.test(path))?.[0]
    if (title === undefined) throw new Error(`${exported.name} of ${path} belongs to no chapter`)
    const text = declarations.map(declaration => print(printer, declaration)).join('\n')
    chapters.get(title).push({ name: exported.name, text, kind: kindOf(declarations[0]) })
  }
  return page(chapters)
}

/** The statement of a declaration with the words above it, without what is private. */
function print(printer, declaration) {
  const source = declaration.getSourceFile()
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  const shown = ts.isClassDeclaration(statement) ? withoutPrivate(statement) : statement
  const printed = printer.printNode(ts.EmitHint.Unspecified, shown, source)
  const declared = printed
    .replace(/^export (declare )?/gm, '')
    .replaceAll('    ', '  ')
    .replace(/;$/gm, '')
  const said = (statement.jsDoc ?? []).map(({ pos, end }) => source.text.slice(pos, end))
  return [...said.filter(words => !declared.startsWith(words)), declared].join('\n')
}

function withoutPrivate(node) {
  const { factory } = ts
  const members = node.members.filter(member => !isPrivate(member))
  const { modifiers, name, typeParameters, heritageClauses } = node
  return factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, members)
}

function isPrivate(member) {
  if (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) return true
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true
  return ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')
}

function kindOf(declaration) {
  if (ts.isFunctionDeclaration(declaration)) return 'function'
  if (ts.isClassDeclaration(declaration)) return 'class'
  return 'type'
}

function page(chapters) {
  const { name, version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const lines = [
    '# The programming interface',
    '',
    `Everything that \`import … from '${name}'\` offers, version ${version}. Written by \`npm run docs\`; the guide shows how`,
    'to use it. Other entry points (`coterie/core`, `coterie/simulator`, `coterie/filters` and so on) say in the README of',
    'their folder what they are for.',
    '',
  ]
  const order = { function: 0, class: 1, type: 2 }
  for (const [title, names] of chapters) {
    names.sort((a, b) => order[a.kind] - order[b.kind] || (a.name < b.name ? -1 : 1))
    lines.push(`## ${title}`, '')
    for (const { name, text } of names) lines.push(`### ${name}`, '', '```ts', text.trim(), '```', '')
  }
  return `${lines.join('\n').trimEnd()}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file, apiReference())
  process.stdout.write(`wrote ${file}\n`)
}
