// npm run example -- NAME [arguments]: bundles examples/NAME.ts for this version of Node and runs it.
// An example imports 'coterie' as any program does; here that is the build of this clone.

import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const path = relative => fileURLToPath(new URL(relative, import.meta.url))
const names = readdirSync(path('.'))
  .filter(file => file.endsWith('.ts'))
  .map(file => file.slice(0, -'.ts'.length))

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || !names.includes(name)) {
  if (name !== undefined && name !== '--help') process.stderr.write(`there is no example '${name}'.\n`)
  process.stdout.write(`npm run example -- NAME [arguments], with NAME one of: ${names.join(', ')}\n`)
  process.exit(name === undefined || name === '--help' ? 0 : 2)
}
if (!existsSync(path('../dist/src/index.js'))) {
  process.stderr.write('coterie is not built yet: run `npm ci` (or `npm run build`) first.\n')
  process.exit(1)
}

const outfile = path(`../dist/examples/${name}.js`)
const { outputFiles } = await build({
  entryPoints: [path(`${name}.ts`)],
  outfile,
  write: false,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})

// Some examples are started several times at once: nobody may load what another has half written.
mkdirSync(path('../dist/examples'), { recursive: true })
writeFileSync(`${outfile}.${process.pid}`, outputFiles[0].contents)
renameSync(`${outfile}.${process.pid}`, outfile)

// The example reads its own arguments where any program does.
process.argv = [process.execPath, outfile, ...rest]
await import(pathToFileURL(outfile).href)
