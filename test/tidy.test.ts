// The rules that matter, as a test: import direction, banned globals, sizes, exports, words, links, examples.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && file !== 'node_modules' && existsSync(join(root, file)))
const sources = tracked.filter(file => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.startsWith('test/')
const isText = (file: string) =>
  /\.(ts|tsx|js|mjs|json|md|yml|yaml|html|css|sh)$|^bin\/|^\.ci\/|^test\/run$|^\.npmrc$/.test(file)

const parsed = new Map<string, ts.SourceFile>()
function parse(file: string): ts.SourceFile {
  let tree = parsed.get(file)
  if (tree === undefined) {
    tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.ESNext, true)
    parsed.set(file, tree)
  }
  return tree
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, child => walk(child, visit))
}

const lineOf = (tree: ts.SourceFile, at: number) => tree.getLineAndCharacterOfPosition(at).line + 1

const imported = new Map<string, string[]>()
/** Which module text each import, export-from and import() of a file names. */
function importsOf(file: string): string[] {
  const known = imported.get(file)
  if (known !== undefined) return known
  const found: string[] = []
  imported.set(file, found)
  walk(parse(file), node => {
    const named =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined
    if (named !== undefined && ts.isStringLiteralLike(named)) found.push(named.text)
  })
  return found
}

const PROTOCOLS = ['lock', 'ordering', 'slots', 'election', 'membership', 'events', 'bandits', 'ledger']
const PURE = ['core', 'crypto', 'filters', 'simulator', ...PROTOCOLS, 'papers', 'play', 'node']
/** What a machine that ships may stand on. A proof and the papers also stand on the simulator. */
const BASE = ['core', 'crypto', 'filters']

/** What a folder under src may import besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  crypto: ['core'],
  filters: ['core'],
  simulator: ['core'],
  ...Object.fromEntries(PROTOCOLS.map(name => [name, BASE])),
  proof: [...BASE, 'simulator'],
  papers: [...BASE, 'simulator', ...PROTOCOLS, 'proof'],
  play: [...BASE, 'simulator', ...PROTOCOLS, 'proof', 'papers'],
  node: [...BASE, ...PROTOCOLS],
  'node/proof': [...BASE, ...PROTOCOLS, 'node', 'simulator', 'proof'],
  runtime: [...BASE, ...PROTOCOLS, 'node'],
  client: [...BASE, ...PROTOCOLS, 'node', 'runtime'],
  browser: [...BASE, ...PROTOCOLS, 'node', 'runtime', 'client', 'index.ts'],
  guards: ['core'],
  cli: [
    ...BASE,
    ...PROTOCOLS,
    'node',
    'runtime',
    'client',
    'index.ts',
    'lab',
    'simulator',
    'proof',
    'papers',
    'play',
    'node/proof',
  ],
  'index.ts': [...BASE, ...PROTOCOLS, 'node', 'runtime', 'client'],
}

/** The folder under src that a file belongs to, or the top folder; proofs are a wing of their own. */
function folderOf(file: string): string {
  const parts = file.split('/')
  if (parts[0] !== 'src') return parts[0]!
  if (parts[2] === 'proof') return parts[1] === 'node' ? 'node/proof' : 'proof'
  return parts[1]!
}

/** Of a proof: the protocol that it proves. It may look into every room of it, and into no other's. */
function provedBy(file: string): string {
  return folderOf(file) === 'proof' ? file.split('/')[1]! : ''
}

describe('imports go one way', () => {
  const relative = (file: string) =>
    importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))

  it('every folder under src has a place in the order', () => {
    const folders = new Set(sources.filter(file => file.startsWith('src/')).map(folderOf))
    expect([...folders].filter(folder => MAY_IMPORT[folder] === undefined)).toEqual([])
  })
  it('and imports only what stands below it', () => {
    const wrong: string[] = []
    for (const file of sources.filter(one => one.startsWith('src/') && !isTest(one))) {
      const own = folderOf(file)
      for (const target of relative(file)) {
        const folder = folderOf(target)
        const proves = provedBy(file) === folder || (own === 'proof' && provedBy(file) === provedBy(target))
        const isOwn = own !== 'proof' && folder === own
        if (!proves && !isOwn && !MAY_IMPORT[own]?.includes(folder)) wrong.push(`${file} imports ${target}`)
      }
    }
    expect(wrong).toEqual([])
  })
  it('what is imported exists', () => {
    const wrong = sources.flatMap(file =>
      relative(file)
        .filter(target => !existsSync(join(root, target)) && !existsSync(join(root, target.replace(/\.js$/, '.ts'))))
        .map(target => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })
  it('pure folders import no package of Node, and core none at all', () => {
    const wrong: string[] = []
    for (const file of sources.filter(one => one.startsWith('src/') && !isTest(one) && PURE.includes(folderOf(one)))) {
      for (const name of importsOf(file)) {
        if (name.startsWith('node:')) wrong.push(`${file} imports ${name}`)
        if (folderOf(file) === 'core' && !name.startsWith('.')) wrong.push(`${file} imports ${name}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('time and chance are arguments', () => {
  const BANNED = new Set([
    'Date',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
    'process',
    'console',
    'crypto',
    'performance',
    'fetch',
  ])
  /** File → why it may use which global. */
  const ALLOWED: Readonly<Record<string, readonly [name: string, why: string]>> = {
    'src/filters/hashing/secret.ts': [
      'crypto',
      'a filter’s secret hash key comes from the system, unless one is given',
    ],
  }

  it('no pure file names a clock, a timer, the process, the console or a random source', () => {
    const wrong: string[] = []
    for (const file of sources.filter(one => one.startsWith('src/') && !isTest(one) && PURE.includes(folderOf(one)))) {
      const tree = parse(file)
      walk(tree, node => {
        if (!ts.isIdentifier(node)) return
        const { parent } = node
        const member = ts.isPropertyAccessExpression(parent) && parent.name === node
        const random = member && node.text === 'random' && parent.expression.getText() === 'Math'
        const global = member && parent.expression.getText() === 'globalThis'
        const declares =
          (ts.isPropertySignature(parent) || ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) &&
          parent.name === node
        if (!random && ((member && !global) || declares || !BANNED.has(node.text))) return
        if (ALLOWED[file]?.[0] === node.text) return
        wrong.push(`${file}:${lineOf(tree, node.getStart())} ${random ? 'Math.random' : node.text}`)
      })
    }
    expect(wrong).toEqual([])
  })
})

describe('sizes', () => {
  const LINES_MAX = 500
  const FUNCTION_LINES_MAX = 60

  it(`no file over ${LINES_MAX} lines`, () => {
    const long = sources.filter(file => read(file).split('\n').length - 1 > LINES_MAX)
    expect(long).toEqual([])
  })
  // With its rounds in a loop a hash takes three times as long; its header has the figures.
  const UNROLLED = ['src/filters/hashing/halfsiphash.ts']

  it(`no function over ${FUNCTION_LINES_MAX} lines`, () => {
    const long: string[] = []
    for (const file of sources.filter(one => !isTest(one) && !UNROLLED.includes(one))) {
      const tree = parse(file)
      walk(tree, node => {
        if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return
        const lines = lineOf(tree, node.getEnd()) - lineOf(tree, node.getStart()) + 1
        if (lines > FUNCTION_LINES_MAX) long.push(`${file}:${lineOf(tree, node.getStart())} has ${lines} lines`)
      })
    }
    expect(long).toEqual([])
  })
})

describe('the package', () => {
  const manifest = JSON.parse(read('package.json'))
  it('exports files that the build makes', () => {
    const wrong: string[] = []
    for (const [name, target] of Object.entries<string | Record<string, string>>(manifest.exports)) {
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
        const source = file.replace('./dist/', '').replace(/\.d\.ts$|\.js$/, '.ts')
        if (!existsSync(join(root, source))) wrong.push(`${name} → ${file}`)
      }
    }
    expect(wrong).toEqual([])
  })
  it('has the files it promises', () => {
    const missing = [...Object.values<string>(manifest.bin), ...manifest.files].filter(
      (file: string) => !file.startsWith('dist/') && !/[*!]/.test(file) && !existsSync(join(root, file)),
    )
    expect(missing).toEqual([])
  })
  it('its lock file names no host', () => {
    expect(read('package-lock.json').match(/"resolved"/g)).toBeNull()
  })
  it('exact versions only', () => {
    const all = Object.entries<string>({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
  it('every protocol folder has its README, with guarantee, faults and the way from the paper to the test', () => {
    const folders = PROTOCOLS.filter(name => sources.some(file => file.startsWith(`src/${name}/`)))
    expect(folders).toContain('lock')
    for (const folder of folders) {
      const text = read(`src/${folder}/README.md`)
      for (const heading of ['## Guarantee', '## Faults', '## From the paper to the test']) {
        expect(text, `src/${folder}/README.md`).toContain(heading)
      }
    }
  })
})

describe('words', () => {
  const here = 'test/tidy.test.ts'
  const search = (files: readonly string[], pattern: RegExp) =>
    files
      .filter(file => file !== here)
      .flatMap(file =>
        read(file)
          .split('\n')
          .map((line, at) => ({ file, line, at: at + 1 })),
      )
      .filter(({ line }) => pattern.test(line))
      .map(({ file, at, line }) => `${file}:${at} ${line.trim().slice(0, 80)}`)

  it('no test is left out in silence, and none runs alone', () => {
    expect(search(sources.filter(isTest), /\b(it|test|describe)\.(only|todo|skip)\b|\bxit\(|\bfit\(/)).toEqual([])
  })
  it('nothing is left for later', () => {
    expect(
      search(
        tracked.filter(isText).filter(file => file !== 'package-lock.json'),
        /\b(TODO|FIXME|XXX|HACK)\b/,
      ),
    ).toEqual([])
  })
  it('no machine’s paths and no registry’s host', () => {
    const paths = /(^|[^\w.])\/(work|home|Users|root)\/\w|\/tmp\/wt\b/
    expect(search(tracked.filter(isText), paths)).toEqual([])
    const hosts = /registry\.npmjs|npmmirror|artifactory|verdaccio|nexus\d*\./i
    expect(search(tracked.filter(isText), hosts)).toEqual([])
  })
})

const pages = tracked.filter(file => file.endsWith('.md'))

describe('documentation', () => {
  it('links to files that exist', () => {
    const dead: string[] = []
    for (const page of pages) {
      const prose = read(page).replaceAll(/```[\s\S]*?```/g, '')
      for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(https?:|mailto:|#)/.test(target!)) continue
        const file = normalize(join(dirname(page), target!.split('#')[0]!))
        if (!existsSync(join(root, file))) dead.push(`${page} → ${target}`)
      }
    }
    expect(dead).toEqual([])
  })
})
