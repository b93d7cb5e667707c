// node page/build.mjs [FOLDER]: the laboratory's page as static files, in dist/page. `npm run build` runs it.
//
// The page opens from a disk too, where a browser loads neither modules nor a worker's script by address. So every script
// is a classic one, and its body is a function that is kept by name: a worker is made of the text of the functions it
// needs. What the first script holds the others take from there, and hold nothing twice.

import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const CORE = 'core'
const COMMON = 'common'
const COPIED = ['index.html', 'style.css', 'icon.svg']

const settings = {
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  loader: { '.md': 'text' },
  write: false,
  metafile: true,
  absWorkingDir: root,
  logLevel: 'error',
}

/** Writes the page into a folder, and says how large each script is. */
export async function buildPage(folder) {
  const entries = new Map([[CORE, 'page/main.tsx'], ...partsIn()])
  const inputs = new Map()
  for (const [name, entry] of entries) inputs.set(name, await inputsOf(entry))
  const others = [...inputs.keys()].filter(name => name !== CORE)
  const usedBy = file => others.filter(name => inputs.get(name).has(file)).length
  const shared = [...inputs.get(CORE)].filter(file => usedBy(file) > 0)
  // What several further scripts use and the first does not is one more script, loaded before them.
  const common = [...new Set(others.flatMap(name => [...inputs.get(name)]))].filter(
    file => !inputs.get(CORE).has(file) && usedBy(file) > 1,
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sizes = {}
  const texts = new Map([[COMMON, await bundled(withShared(common), shared)]])
  for (const [name, entry] of entries) {
    const isCore = name === CORE
    const given = isCore ? withShared(shared, entry) : { entryPoints: [entry] }
    texts.set(name, await bundled(given, isCore ? [] : [...shared, ...common]))
  }
  for (const [name, text] of texts) {
    const script = `(globalThis.coterieParts??={})[${JSON.stringify(name)}]=function(){${text}};globalThis.coterieParts[${JSON.stringify(name)}]();\n`
    writeFileSync(join(folder, `${name}.js`), script)
    sizes[name] = { bytes: script.length, gzip: gzipSync(script).length }
  }
  for (const file of COPIED) {
    copyFileSync(join(here, file), join(folder, file))
    sizes[file] = { bytes: statSync(join(here, file)).size, gzip: 0 }
  }
  return sizes
}

function partsIn() {
  const files = readdirSync(join(here, 'parts')).filter(file => file.endsWith('.ts'))
  return files.map(file => [file.slice(0, -'.ts'.length), `page/parts/${file}`])
}

async function inputsOf(entry) {
  const { metafile } = await build({ ...settings, entryPoints: [entry], minify: false, plugins: [leaving([])] })
  const used = Object.values(metafile.outputs).flatMap(output => Object.entries(output.inputs))
  // A door only hands on: what is behind it counts.
  return new Set(used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file))
}

/** A script that also tells what it holds that others need. */
function withShared(shared, entry) {
  const modules = shared.map((file, place) => `${JSON.stringify(file)}:m${place}`).join(',')
  const lines = [
    ...shared.map((file, place) => `import * as m${place} from ${JSON.stringify(`./${file}`)}`),
    `Object.assign(globalThis.coterieModules??={},{${modules}})`,
    ...(entry === undefined ? [] : [`import ${JSON.stringify(`./${entry}`)}`]),
  ]
  return { stdin: { contents: lines.join('\n'), resolveDir: root, loader: 'js' } }
}

async function bundled(entry, shared) {
  const { outputFiles } = await build({ ...settings, ...entry, plugins: [leaving(shared)] })
  return outputFiles[0].text
}

/** Leaves out what the first script holds, and sources of which nothing is used: to be imported changes nothing there. */
function leaving(shared) {
  const taken = new Set(shared)
  return {
    name: 'what is left out',
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, async args => {
        if (args.kind === 'entry-point' || args.pluginData === 'seen') return undefined
        const { path, errors } = await builder.resolve(args.path, {
          kind: args.kind,
          importer: args.importer,
          resolveDir: args.resolveDir,
          pluginData: 'seen',
        })
        if (errors.length > 0) return undefined
        const file = relative(root, path)
        // With another ending: that of a module would forbid `module.exports`.
        if (taken.has(file)) return { path: `${file}.cjs`, namespace: 'shared', pluginData: file }
        return file.startsWith('src/') ? { path, sideEffects: false } : undefined
      })
      builder.onLoad({ filter: /.*/, namespace: 'shared' }, ({ pluginData: file }) => ({
        contents: `module.exports=globalThis.coterieModules[${JSON.stringify(file)}]`,
        loader: 'js',
      }))
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = await buildPage(process.argv[2] ?? join(root, 'dist/page'))
  const scripts = Object.entries(sizes).filter(([, { gzip }]) => gzip > 0)
  for (const [name, { bytes, gzip }] of scripts) {
    process.stdout.write(`${name.padEnd(14)} ${String(bytes).padStart(8)} B  ${String(gzip).padStart(7)} B gzip\n`)
  }
}
