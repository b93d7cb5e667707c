// npm run bench -- NAME [options]: bundles bench/NAME.ts and the programs in bench/support/programs, and runs it.
// A benchmark is a module with `run(print, args)`: it prints a table through `print` and returns what it measured.

import { readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = fileURLToPath(new URL('.', import.meta.url))
const out = fileURLToPath(new URL('../dist/bench/', import.meta.url))
const isModule = file => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts')
const modules = folder => readdirSync(folder).filter(isModule)
const names = modules(here).map(file => file.slice(0, -'.ts'.length))

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  if (name !== undefined && name !== '--help') process.stderr.write(`there is no benchmark '${name}'.\n`)
  process.stdout.write(`npm run bench -- NAME [--json] [options], with NAME one of: ${names.join(', ')}\n`)
  process.exit(name === undefined || name === '--help' ? 0 : 2)
}

const programs = modules(`${here}support/programs`).map(file => `${here}support/programs/${file}`)
await build({
  entryPoints: [`${here}${name}.ts`, ...programs],
  outbase: here,
  outdir: out,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})

const json = rest.includes('--json')
const { run } = await import(pathToFileURL(`${out}${name}.js`).href)
const measured = await run(
  json ? () => {} : line => process.stdout.write(`${line}\n`),
  rest.filter(argument => argument !== '--json'),
)
if (json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`)
