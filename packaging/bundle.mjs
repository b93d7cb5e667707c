// The JavaScript of a package: its doors and programs, and between them as few files as their imports allow. Comments and
// blanks go, names stay, so that a stack trace can be read.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'

/** Stack traces name lines: one line for the whole file would say nothing. */
const LINE_LETTERS = 160
/** Stands for the folder of the package's JavaScript, until it is known in which file the line has come to lie. */
const HERE = '@dist@'

/**
 * Writes the bundle of `entries` (paths below `from`) to the same paths below `to`, and tells the packages that it imports.
 * `instead` names modules that have others in their place.
 */
export async function bundle({ from, to, entries, instead }) {
  const { metafile } = await build({
    absWorkingDir: from,
    entryPoints: entries,
    outbase: from,
    outdir: to,
    chunkNames: 'shared/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: LINE_LETTERS,
    // Paths of the repository's own compiler lead to its sources.
    tsconfigRaw: '{}',
    metafile: true,
    logLevel: 'warning',
    plugins: [places(from, instead)],
  })
  const outputs = Object.keys(metafile.outputs).map(file => join(from, file))
  for (const file of outputs) {
    const text = readFileSync(file, 'utf8')
    if (text.includes(HERE)) writeFileSync(file, text.replaceAll(HERE, relative(dirname(file), to) || '.'))
  }
  return packagesOf(metafile)
}

/**
 * A file that looks for another one beside it (`new URL('./worker.js', import.meta.url)`) looks from where it was, not from
 * where its text has come to lie. Other uses of `import.meta.url` stay as they are.
 */
function places(from, instead) {
  return {
    name: 'places',
    setup(at) {
      at.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const own = `new URL("${HERE}/${relative(from, path)}", import.meta.url)`
        const text = readFileSync(path, 'utf8')
        const contents = text.replace(/(new URL\([^(),]+, )import\.meta\.url\)/g, (_, before) => `${before}${own})`)
        return { contents, loader: 'js' }
      })
      at.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const other = instead[relative(from, join(resolveDir, path))]
        return other === undefined ? undefined : { path: join(from, other) }
      })
    },
  }
}

/** The packages that the bundle imports, Node's own left out. */
function packagesOf(metafile) {
  const imports = Object.values(metafile.outputs).flatMap(output => output.imports)
  const outside = imports.filter(({ external, path }) => external && !path.startsWith('node:'))
  const names = outside.map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
  return [...new Set(names)].sort()
}
