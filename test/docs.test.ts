// Every ```ts block of the README and the guide compiles and runs, as it stands, against the built package by its name.
// A block that is only a piece says so: ```ts ignore.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))
const RUN_MS_MAX = 60_000

interface Example {
  /** The document and the line of the block in it. */
  readonly name: string
  readonly code: string
}

const documents = [
  ...['README.md', 'src/filters/README.md'].map(file => join(CHECKOUT, file)).filter(file => existsSync(file)),
  ...(await readdir(join(CHECKOUT, 'docs/guide')))
    .filter(file => file.endsWith('.md'))
    .map(file => join(CHECKOUT, 'docs/guide', file)),
]

const examples = (await Promise.all(documents.map(examplesOf))).flat()

async function examplesOf(file: string): Promise<Example[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  const found: Example[] = []
  for (let at = 0; at < lines.length; at++) {
    const fence = lines[at]!.trim()
    if (!/^```/.test(fence)) continue
    const end = lines.indexOf('```', at + 1)
    if (end === -1) throw new Error(`${file}:${at + 1} opens a block and does not close it`)
    const name = `${relative(CHECKOUT, file)}:${at + 1}`
    if (/^```(ts|typescript)$/.test(fence)) found.push({ name, code: lines.slice(at + 1, end).join('\n') })
    at = end
  }
  return found
}

let folder: string
const fileOf = new Map<Example, string>()

// Inside the checkout, or the package's own name would not lead to it.
beforeAll(async () => {
  const parent = join(CHECKOUT, '.examples')
  await mkdir(parent, { recursive: true })
  folder = await mkdtemp(join(parent, 'run-'))
  for (const [place, example] of examples.entries()) {
    const file = join(folder, `example-${place}.ts`)
    fileOf.set(example, file)
    await writeFile(file, `${example.code}\nexport {}\n`)
    const { outputText } = ts.transpileModule(example.code, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
    })
    await writeFile(file.replace(/ts$/, 'mjs'), outputText)
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('examples in the documents', () => {
  test('there are some, and the package is built', () => {
    expect(examples.length).toBeGreaterThan(5)
    expect(existsSync(join(CHECKOUT, 'dist/src/filters/index.js')), 'run npm run build first').toBe(true)
  })

  test('compile', () => {
    const program = ts.createProgram([...fileOf.values()], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    })
    const problems = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
      const example = [...fileOf].find(([, path]) => path === file?.fileName)?.[0].name
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1
      return `${example ?? file?.fileName}, line ${line} of the block: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
    expect(problems).toEqual([])
  })

  test.each(examples.map(example => [example.name, example] as const))(
    '%s runs, and prints what it says',
    async (_, example) => {
      const file = fileOf.get(example)!.replace(/ts$/, 'mjs')
      const { code, out, err } = await execute(file)
      expect({ code, err }).toEqual({ code: 0, err: '' })
      for (const said of promised(example.code)) expect(out).toContain(said)
    },
  )
})

/** What the example says it prints: a comment behind console.log. */
function promised(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(match => match[1]!)
}

function execute(file: string): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve => {
    execFile(process.execPath, [file], { cwd: dirname(file), timeout: RUN_MS_MAX }, (error, out, err) =>
      resolve({ code: error === null ? 0 : ((error.code as number | undefined) ?? 1), out, err }),
    )
  })
}
