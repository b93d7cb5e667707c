// npm run first-hour [-- --only readme,help,guide,misuse]: plays the first hour of a new user, and says what failed.
// It clones what is committed, and uses what is installed and built here, so that nothing is downloaded.

import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Wrong uses are tried on what was built, as everything here: what would be bundled anew is not what a user has. */
const builtSources = {
  name: 'built-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.\.\/)+src\/.*\.ts$/ }, ({ path, importer }) => {
      if (!/\/test\/support\/wrong-|\/misuse\.ts$/.test(importer)) return undefined
      const built = path.replace(/^(?:\.\.\/)+/, `${root}dist/`).replace(/\.ts$/, '.js')
      return { path: pathToFileURL(built).href, external: true }
    })
  },
}
const outfile = `${root}dist/first-hour/main.mjs`
await build({
  entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
  outfile,
  bundle: true,
  packages: 'external',
  plugins: [builtSources],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})
const { main } = await import(pathToFileURL(outfile).href)
process.exitCode = await main(root, process.argv.slice(2))
