// npm run siege [-- options]: bundles the siege and its programs, and runs it. What is under siege is the compiled code
// in dist, as it ships; nothing of src and lab is bundled.

import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = resolve(root, 'dist/siege')
const SHIPPED = /^(src|lab)\//

const shipped = {
  name: 'shipped',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => {
      const file = relative(root, resolve(resolveDir, path)).replaceAll('\\', '/')
      if (!SHIPPED.test(file)) return undefined
      const compiled = resolve(root, 'dist', file.replace(/\.ts$/, '.js'))
      if (!existsSync(compiled)) return { errors: [{ text: `${compiled} is missing: npm run build` }] }
      // Beside the bundle, which stands in a folder below dist.
      return { path: `./${relative(out, compiled)}`.replace('./../', '../'), external: true }
    })
  },
}

const programs = ['liar', 'client', 'member'].map(name => resolve(root, `test/siege/programs/${name}.ts`))
await build({
  entryPoints: [resolve(root, 'test/siege/main.ts'), ...programs],
  entryNames: '[name]',
  outdir: out,
  bundle: true,
  packages: 'external',
  plugins: [shipped],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})
const { main } = await import(pathToFileURL(resolve(out, 'main.js')).href)
process.exitCode = await main(process.argv.slice(2))
