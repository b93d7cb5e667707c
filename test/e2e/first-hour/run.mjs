// npm run first-hour [-- --only readme,help,guide,misuse]: plays the first hour of a new user, and says what failed.
// It clones what is committed, and uses what is installed and built here, so that nothing is downloaded.

import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const outfile = `${root}dist/first-hour/main.mjs`
await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})
const { main } = await import(pathToFileURL(outfile).href)
process.exitCode = await main(root, process.argv.slice(2))
