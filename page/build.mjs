// node page/build.mjs [FOLDER]: the laboratory's page as static files, in dist/page. `npm run build` runs it.
//
// The page opens from a disk too, where a browser loads neither modules nor a worker's script by address. So every script
// is a classic one, and its body is a function that is kept by name, with the names of those whose parts it uses: a worker
// is made of the text of the functions it needs. Nothing is held twice, and nothing that nobody uses is held at all.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'
import { build } from 'vite'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const CORE = 'core'
/** What the first script is made of: it stands in the same file. */
const BASE = 'base'
/** What several further scripts use and the first does not. */
const COMMON = 'common'
const COPIED = ['index.html', 'icon.svg']
const STYLE = 'style.css'

/** Keeps scripts by name, and runs one when those that it needs have run. */
const RUNTIME = `globalThis.coterieParts??={};globalThis.coterieRun??=name=>{const part=coterieParts[name];return part.exports??(part.exports={},part.body(file=>coterieRun(file.slice(2,-3)),part.exports),part.exports)};\n`

/** Writes the page into a folder, and says how large each script is. */
export async function buildPage(folder) {
  const entries = new Map([[CORE, join(here, 'main.tsx')], ...scriptsIn('parts')])
  const first = await modulesOf(entries.get(CORE))
  const uses = new Map()
  for (const [name, entry] of entries) {
    if (name === CORE) continue
    for (const file of await modulesOf(entry)) uses.set(file, (uses.get(file) ?? 0) + 1)
  }
  const isEntry = new Set(entries.values())
  const within = id => first.has(id) && !isEntry.has(id)
  const chunks = await bundled(Object.fromEntries(entries), true, [
    { name: BASE, test: within, includeDependenciesRecursively: false },
    { name: COMMON, test: id => !first.has(id) && uses.get(id) > 1, includeDependenciesRecursively: false },
  ])
  // Experiments run in a worker, and there alone: each script of theirs holds all that it needs.
  for (const [name, entry] of scriptsIn('measures')) chunks.push(...(await bundled({ [name]: entry }, true)))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const chunk of chunks) withoutCircle(chunk, chunks)
  const scripts = new Map(chunks.map(chunk => [chunk.fileName.slice(0, -'.js'.length), kept(chunk)]))
  scripts.set(CORE, `${RUNTIME}${scripts.get(BASE)}${scripts.get(CORE)}coterieRun("${CORE}");\n`)
  scripts.delete(BASE)
  const files = new Map([...scripts].map(([name, text]) => [`${name}.js`, text]))
  files.set(STYLE, (await transform(readFileSync(join(here, STYLE), 'utf8'), { loader: 'css', minify: true })).code)
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  for (const name of COPIED) copyFileSync(join(here, name), join(folder, name))
  return sizesIn(folder)
}

/** Bytes of each file of a built page, as they are and packed. */
export function sizesIn(folder) {
  const sizes = readdirSync(folder).map(file => {
    const bytes = readFileSync(join(folder, file))
    return [file, { bytes: bytes.length, gzip: gzipSync(bytes).length }]
  })
  return Object.fromEntries(sizes)
}

/** The files of a built page that these scripts need, themselves included. */
export function neededFor(folder, names, found = new Set()) {
  for (const name of names) {
    const file = `${name === BASE ? CORE : name}.js`
    if (found.has(file)) continue
    found.add(file)
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, needs] of text.matchAll(/={needs:(\[[^\]]*\]),body:function/g))
      neededFor(folder, JSON.parse(needs), found)
  }
  return found
}

function scriptsIn(folder) {
  const files = readdirSync(join(here, folder)).filter(file => file.endsWith('.ts'))
  const prefix = folder === 'measures' ? 'measure-' : ''
  return files.map(file => [`${prefix}${file.slice(0, -'.ts'.length)}`, join(here, folder, file)])
}

/** The sources of which a script uses anything. */
async function modulesOf(entry) {
  const chunks = await bundled({ entry }, false)
  const used = chunks.flatMap(({ modules }) => Object.entries(modules))
  return new Set(used.filter(([, { renderedLength }]) => renderedLength > 0).map(([file]) => file))
}

/** A script that needs itself could not be run. */
function withoutCircle(chunk, chunks, above = []) {
  if (above.includes(chunk.fileName))
    throw new Error(`scripts need each other: ${[...above, chunk.fileName].join(' > ')}`)
  const needed = chunks.filter(({ fileName }) => chunk.imports.includes(fileName))
  for (const other of needed) withoutCircle(other, chunks, [...above, chunk.fileName])
}

function kept({ fileName, imports, code }) {
  const name = fileName.slice(0, -'.js'.length)
  const needs = imports.map(file => file.slice(0, -'.js'.length))
  return `(globalThis.coterieParts??={})[${JSON.stringify(name)}]={needs:${JSON.stringify(needs)},body:function(require,exports){${code}}};\n`
}

const texts = {
  name: 'texts',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.md') ? { code: `export default ${JSON.stringify(code)}`, moduleType: 'js' } : undefined,
}

/** To be imported changes nothing in a source of ours, nor in this library: what is not used is left out. */
const isPlain = id => OURS.some(folder => id.startsWith(folder)) || id.includes('/node_modules/libsodium')
const OURS = ['src/', 'lab/'].map(folder => join(root, folder))

async function bundled(input, minify, groups = []) {
  const { output } = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'error',
    plugins: [texts],
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      minify,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        treeshake: { moduleSideEffects: id => !isPlain(id), propertyReadSideEffects: false },
        output: {
          format: 'cjs',
          esModule: false,
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          codeSplitting: groups.length > 0 && { groups },
        },
      },
    },
  })
  return output.filter(({ type }) => type === 'chunk')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = await buildPage(process.argv[2] ?? join(root, 'dist/page'))
  for (const [name, { bytes, gzip }] of Object.entries(sizes)) {
    process.stdout.write(`${name.padEnd(24)} ${String(bytes).padStart(8)} B  ${String(gzip).padStart(7)} B gzip\n`)
  }
}
