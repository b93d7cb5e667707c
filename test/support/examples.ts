// Examples in the documentation: found, compiled and run, so that they stay true.
//
// Every block that begins with ```ts or ```js is a program of its own. One that begins with ```ts ignore is only for reading,
// and the sentence before it says why.

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import ts from 'typescript'

export interface Example {
  /** Page and line, as one would say it. */
  readonly where: string
  readonly code: string
  readonly ignored: boolean
  /** The prose just before the block. */
  readonly before: string
}

/** A door of one of the packages: the name in an import, and what is built for it. */
interface Door {
  readonly name: string
  readonly file: string
}

/** Of both packages, from where they are listed: a bundle of this file stands elsewhere. */
async function doorsOf(root: string): Promise<readonly Door[]> {
  return (await import(pathToFileURL(join(root, 'packaging/packages.mjs')).href)).doors
}

const RUN_MS_MAX = 60_000

export function examplesOf(page: string, text: string): Example[] {
  const lines = text.split('\n')
  const found: Example[] = []
  let before = ''
  for (let at = 0; at < lines.length; at++) {
    const fence = /^```(\S*)\s*(.*)$/.exec(lines[at]!)
    if (fence === null) {
      if (lines[at]!.trim() !== '') before = lines[at]!
      continue
    }
    const end = lines.indexOf('```', at + 1)
    if (end < 0) throw new Error(`${page}:${at + 1} is never closed`)
    const code = lines.slice(at + 1, end).join('\n')
    const isProgram = fence[1] === 'ts' || fence[1] === 'js'
    if (isProgram) found.push({ where: `${page}:${at + 1}`, code, ignored: fence[2] === 'ignore', before })
    at = end
  }
  return found
}

/** Those of README.md, of the guide, and of the folders whose README has some. */
export function documentedExamples(root: string): Example[] {
  const guide = readdirSync(join(root, 'docs/guide'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs/guide', name))
  const pages = ['README.md', 'src/filters/README.md', 'src/events/README.md', ...guide]
  return pages.flatMap(page => examplesOf(page, readFileSync(join(root, page), 'utf8')))
}

/** A folder inside the project, so that an example finds the packages that it imports. */
function workshop(root: string): string {
  const folder = join(root, 'dist', 'examples')
  mkdirSync(folder, { recursive: true })
  return folder
}

const fileOf = (example: Example) => example.where.replaceAll(/\W+/g, '-')

/** What the compiler says about them, all together; nothing where they are right. */
export function compileErrors(root: string, examples: readonly Example[]): string[] {
  const folder = workshop(root)
  const config = ts.readConfigFile(join(root, 'tsconfig.test.json'), file => readFileSync(file, 'utf8'))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  const files = examples.map(example => {
    const file = join(folder, `${fileOf(example)}.ts`)
    writeFileSync(file, `${example.code}\nexport {}\n`)
    return file
  })
  try {
    const program = ts.createProgram(files, { ...options, noUnusedLocals: false })
    return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const place = examples[files.indexOf(file?.fileName ?? '')]?.where ?? file?.fileName ?? ''
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  } finally {
    for (const file of files) rmSync(file)
  }
}

/** Runs it in a process of its own and returns what it printed; throws where it fails or does not end. */
export async function runExample(root: string, example: Example): Promise<string> {
  const outfile = join(workshop(root), `${fileOf(example)}.mjs`)
  const alias = Object.fromEntries((await doorsOf(root)).map(({ name, file }) => [name, sourceOf(root, file)]))
  await build({
    stdin: { contents: example.code, loader: 'ts', resolveDir: root, sourcefile: example.where },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    alias,
    outfile,
    logLevel: 'silent',
  })
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [outfile], { timeout: RUN_MS_MAX })
    return stdout
  } finally {
    rmSync(outfile)
  }
}

/** The source of what is built: ./dist/src/lock/index.js is src/lock/index.ts. */
function sourceOf(root: string, built: string): string {
  return join(root, built.replace('./dist/', '').replace(/\.js$/, '.ts'))
}

/** What the example says it prints: a comment behind console.log, with … for what differs from run to run. */
export function promised(code: string): RegExp[] {
  const comments = [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(match => match[1]!)
  return comments.map(said => new RegExp(said.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*')))
}
