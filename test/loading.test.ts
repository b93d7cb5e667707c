// What a program loads that imports `coterie`, and what the command line loads: the machines that run, and nothing of
// what proves them. Modules are found by walking the imports of the sources; imports of types are none at run time.

import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Simulators, liars, planted bugs, checkers, and the papers' printed forms. */
const PROOF = /^src\/simulator\/|\/proof\/|^src\/papers\/|^lab\//

type When = 'at once' | 'when called'

/** What a file imports when it is loaded, ours by path and others by name; and where asked for, what its functions import later. */
function importsOf(file: string, when: When): string[] {
  const tree = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ESNext, true)
  const found: string[] = []
  const add = (name: ts.Expression | undefined) => {
    if (name === undefined || !ts.isStringLiteral(name)) return
    found.push(name.text.startsWith('.') ? normalize(join(dirname(file), name.text)) : name.text)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly) add(node.moduleSpecifier)
    if (ts.isExportDeclaration(node) && !node.isTypeOnly) add(node.moduleSpecifier)
    if (when === 'when called' && ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0])
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function reachable(entry: string, when: When): string[] {
  const seen = new Set([entry])
  // What is added while the loop runs is visited, too.
  for (const file of seen) {
    if (/^(src|lab)\//.test(file)) for (const target of importsOf(file, when)) seen.add(target)
  }
  return [...seen].filter(file => /^(src|lab)\//.test(file))
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap(file => importsOf(file, 'at once'))
  return [...new Set(names)].filter(name => !/^(src|lab)\/|^node:/.test(name)).sort()
}

describe("import 'coterie'", () => {
  it('loads at most 274 modules', () => {
    const loaded = reachable('src/index.ts', 'at once')
    expect(loaded.length).toBeGreaterThan(50)
    expect(loaded.length).toBeLessThanOrEqual(274)
  })
  it('loads nothing of the proofs, also not later', () => {
    expect(reachable('src/index.ts', 'when called').filter(file => PROOF.test(file))).toEqual([])
  })
})

describe('the command line', () => {
  it('loads no command before it is called', () => {
    const loaded = reachable('src/cli/main.ts', 'at once')
    expect(loaded.filter(file => file.startsWith('src/cli/commands/') || PROOF.test(file))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(40)
  })
  // Each module costs every start about half a millisecond; Node itself takes 65 (`npm run bench -- start`).
  it("coterie get loads a client's machines and no server's, and three packages", () => {
    const loaded = reachable('src/cli/commands/tree/get.ts', 'at once')
    expect(loaded.filter(file => /\/(server|keeper|member)\//.test(file))).toEqual([])
    expect(loaded.length).toBeLessThanOrEqual(166)
    expect(packagesOf(loaded)).toEqual(['commander', 'picocolors', 'smol-toml'])
  })
  it.each(['tree/get', 'lock', 'serve', 'join'])('coterie %s loads nothing of the proofs', name => {
    expect(reachable(`src/cli/commands/${name}.ts`, 'when called').filter(file => PROOF.test(file))).toEqual([])
  })
})

it('the walk finds a proof where there is one', () => {
  expect(reachable('src/cli/commands/sim.ts', 'at once').some(file => PROOF.test(file))).toBe(true)
})
