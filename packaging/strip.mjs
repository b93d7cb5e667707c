// Before packing: the JavaScript loses its comments and blanks, and declarations that no door reaches go. Names stay, so
// that a stack trace can be read. Who wants to read the code reads the repository; the package carries the documents.
//
// node packaging/strip.mjs FOLDER, the folder that holds package.json and dist.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { transformSync } from 'esbuild'

/** Stack traces name lines: one line for the whole file would say nothing. */
const LINE_LETTERS = 160

const root = process.argv[2] ?? '.'
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const all = readdirSync(join(root, 'dist'), { recursive: true }).map(file => join('dist', file))

// The page is made small by its own build.
for (const file of all.filter(each => each.endsWith('.js') && !each.startsWith(join('dist', 'page')))) {
  const path = join(root, file)
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: LINE_LETTERS,
  })
  writeFileSync(path, code)
}

const reached = new Set()
for (const door of Object.values(manifest.exports)) if (door.types !== undefined) reach(normalize(door.types))
for (const file of all) if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(join(root, file))

// Compilers before 5.7 do not take './x.ts' in a declaration for './x.d.ts'; './x.js' all of them do.
for (const file of reached) {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  const paths = text.replace(/((?:from|import)\s*\(?\s*['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2')
  // Nor do they know arrays of bytes that say what lies below them.
  writeFileSync(path, paths.replace(/\b(\w+Array)<(?:ArrayBufferLike|ArrayBuffer|SharedArrayBuffer)>/g, '$1'))
}

/** Follows a declaration's imports. */
function reach(file) {
  if (reached.has(file) || !existsSync(join(root, file))) return
  reached.add(file)
  for (const [, name] of readFileSync(join(root, file), 'utf8').matchAll(
    /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g,
  )) {
    reach(join(dirname(file), name).replace(/\.(ts|js)$/, '.d.ts'))
  }
}
