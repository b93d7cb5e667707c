// npm run docs: writes the reference of the programming interface from the declarations that the build emits.
//
// What stands in the reference is what a program sees: every name that a door exports, with the words written above it
// in the source, and without private members. `coterie` is api.md, in chapters; each other door has a page in api/.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { manifest, doors as published } from '../../packaging/packages.mjs'

const root = new URL('../../', import.meta.url)
const here = new URL('./', import.meta.url)

/** Of `coterie`: which file's exports belong to which chapter, first match first. */
const CHAPTERS = [
  [
    'Groups and how to reach them',
    /client\/(connect|embedd|group|inspect|waiting|options|metrics|log|values)[^/]*\.d\.ts$|runtime\/(?!carriers)/,
  ],
  ['Locks', /client\/(lease|lock-options|force)\.d\.ts$|\/lock\//],
  ['Objects and the tree', /client\/(objects\/(?!recipes)|recipes\/tree)|\/ordering\//],
  ['Recipes', /client\/(recipes|objects\/recipes)/],
  ['Jobs', /client\/jobs\//],
  ['Members, coordinators and slots', /client\/(enter|join|joining|member-group|peers)|election|membership|\/slots\//],
  ['Events', /client\/(member-)?events|\/events\//],
  ['Secret channels', /\/(client\/carried|runtime\/carriers)\//],
  ['Ledgers', /client\/ledger|\/ledger\//],
  ['Private bandits', /client\/bandits|\/bandits\//],
  ['Trust and errors', /core\//],
]

/** Every door of both packages: its name in an import, its declarations, and the page that describes it. */
export const doors = published.map(({ name, door, types }) => ({
  name,
  entry: fileURLToPath(new URL(types, root)),
  page: door === '.' ? 'api.md' : `api/${door.slice(2).replaceAll('/', '-')}.md`,
}))

/** The pages, by their file's name below docs/reference. */
export function apiReference() {
  const program = openDoors(doors.map(({ entry }) => entry))
  const pages = doors.map(door => [
    door.page,
    door.page === 'api.md' ? mainPage(program, door) : doorPage(program, door),
  ])
  return new Map(pages)
}

export function openDoors(entries) {
  return ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ESNext, types: ['node'] })
}

/** What a door exports: `{ name, symbol }`, with aliases resolved. */
export function exportsOf(program, entry) {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  if (source === undefined) throw new Error(`${entry} is missing: run npm run build first`)
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map(exported => ({
    name: exported.name,
    symbol: exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported,
  }))
}

function described(program, entry) {
  const printer = ts.createPrinter({ newLine: ts.NewLineKind.LineFeed })
  return exportsOf(program, entry).map(({ name, symbol }) => {
    const declarations = symbol.getDeclarations() ?? []
    const path = declarations[0].getSourceFile().fileName
    const text = declarations.map(declaration => print(printer, declaration)).join('\n')
    return { name, path, text, kind: kindOf(declarations[0]) }
  })
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

export function isPrivate(member) {
  if (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) return true
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true
  return ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal')
}

function kindOf(declaration) {
  if (ts.isFunctionDeclaration(declaration)) return 'function'
  if (ts.isClassDeclaration(declaration)) return 'class'
  if (ts.isVariableDeclaration(declaration)) return 'value'
  return 'type'
}

const ORDER = ['function', 'class', 'value', 'type']

function sections(found) {
  const order = (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.name < b.name ? -1 : 1)
  return found.sort(order).flatMap(({ name, text }) => [`### ${name}`, '', '```ts', text.trim(), '```', ''])
}

function mainPage(program, { entry, name }) {
  const chapters = new Map(CHAPTERS.map(([title]) => [title, []]))
  for (const found of described(program, entry)) {
    // Not by the folder that the clone stands in.
    const within = found.path.slice(fileURLToPath(root).length - 1)
    const title = CHAPTERS.find(([, pattern]) => pattern.test(within))?.[0]
    if (title === undefined) throw new Error(`${found.name} of ${found.path} belongs to no chapter`)
    chapters.get(title).push(found)
  }
  const others = doors.filter(({ page }) => page !== 'api.md').map(({ name, page }) => `- [\`${name}\`](${page})`)
  const lines = [
    '# The programming interface',
    '',
    `Everything that \`import … from '${name}'\` offers, version ${manifest.version}. Written by \`npm run docs\`; the guide shows`,
    'how to use it. Types resolve with TypeScript 5.6 and later. The other doors:',
    '',
    ...others,
    '',
  ]
  for (const [title, found] of chapters) if (found.length > 0) lines.push(`## ${title}`, '', ...sections(found))
  return `${lines.join('\n').trimEnd()}\n`
}

function doorPage(program, { entry, name }) {
  const main = new Set(exportsOf(program, doors[0].entry).map(({ symbol }) => symbol))
  const again = new Set(exportsOf(program, entry).flatMap(each => (main.has(each.symbol) ? [each.name] : [])))
  const lines = [
    `# ${name}`,
    '',
    `Everything that \`import … from '${name}'\` offers. Written by \`npm run docs\`.`,
    '',
  ]
  if (again.size > 0) {
    const named = [...again].sort().map(each => `\`${each}\``)
    lines.push(`As in [the main door](../api.md): ${named.join(', ')}.`, '')
  }
  const own = described(program, entry).filter(({ name: each }) => !again.has(each))
  return `${[...lines, ...sections(own)].join('\n').trimEnd()}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(new URL('api', here), { recursive: true, force: true })
  mkdirSync(new URL('api', here))
  for (const [page, text] of apiReference()) writeFileSync(new URL(page, here), text)
  process.stdout.write(`wrote ${doors.length} pages of the programming interface\n`)
}
