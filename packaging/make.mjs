// npm run package: makes the packages that are published, coterie and coterie-lab, from what the build made.
//
// node packaging/make.mjs [FOLDER], by default dist/packages: each in a folder of its own, ready for `npm publish`.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.mjs'
import { writeDeclarations } from './declarations.mjs'
import { copyDocuments } from './documents.mjs'
import { manifest, packages, root as rootUrl } from './packages.mjs'

const root = fileURLToPath(rootUrl)
const built = join(root, 'dist')
const out = resolve(process.argv[2] ?? join(built, 'packages'))
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')

/** Where a page is, and where it goes. */
function documentsOf({ readme, documents }) {
  const pages = tracked.filter(file => documents.test(file)).map(file => [file, file])
  return [[readme, 'README.md'], ...pages]
}

async function make(each) {
  const folder = join(out, each.manifest.name)
  const doors = Object.values(each.manifest.exports).filter(({ types }) => types !== undefined)
  const below = path => path.replace(/^\.\/dist\//, '')
  const entries = [...doors.map(door => below(door.default)), ...each.programs]
  const imported = await bundle({ from: built, to: join(folder, 'dist'), entries, instead: each.instead })
  writeDeclarations({ from: built, to: join(folder, 'dist'), entries: doors.map(({ types }) => below(types)) })
  for (const name of each.folders) cpSync(join(built, name), join(folder, 'dist', name), { recursive: true })
  for (const file of [...Object.values(each.manifest.bin ?? {}), ...each.manifest.man]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  const others = packages.filter(other => other !== each)
  copyDocuments({
    root,
    to: folder,
    files: documentsOf(each),
    others: others.map(other => ({ name: other.manifest.name, files: documentsOf(other).map(([file]) => file) })),
  })
  const whole = { ...each.manifest, dependencies: dependenciesOf(imported, each.manifest) }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`)
}

/** What is imported, in the versions of the repository. Peers are brought by who needs them. */
function dependenciesOf(imported, { name, peerDependencies }) {
  const own = imported.filter(each => each !== name && peerDependencies[each] === undefined)
  const unknown = own.filter(each => manifest.dependencies[each] === undefined)
  if (unknown.length > 0) throw new Error(`${name} imports ${unknown.join(', ')}, which package.json does not name`)
  return Object.fromEntries(own.map(each => [each, manifest.dependencies[each]]))
}

rmSync(out, { recursive: true, force: true })
for (const each of packages) await make(each)
