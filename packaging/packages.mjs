// The two packages that are published from this repository, as data. `coterie` is what programs and operators need;
// `coterie-lab` has the simulator, the proofs, the papers, the experiments and the page. Each has its own bundle, and neither
// needs the other's files: docs/decisions/package-size.md.

import { readFileSync } from 'node:fs'

export const root = new URL('../', import.meta.url)
export const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const lab = JSON.parse(readFileSync(new URL('packaging/lab/manifest.json', root), 'utf8'))

/** Commands whose manual pages belong to the laboratory. */
const LAB_COMMANDS = ['sim', 'explore', 'lab']
const ofLab = page => LAB_COMMANDS.some(name => page.endsWith(`coterie-${name}.1`))

/** What is the same in both. */
const { version, license, type, engines } = manifest
const { ioredis, redlock } = manifest.devDependencies
const { 'mcl-wasm': mcl } = manifest.peerDependencies
const OPTIONAL = { optional: true }

/** Each package: its manifest without dependencies, and what goes in. */
export const packages = [
  {
    manifest: {
      name: manifest.name,
      version,
      description: manifest.description,
      license,
      type,
      engines,
      bin: manifest.bin,
      man: manifest.man.filter(page => !ofLab(page)),
      exports: manifest.exports,
      peerDependencies: { 'coterie-lab': version, ...manifest.peerDependencies },
      peerDependenciesMeta: { 'coterie-lab': OPTIONAL, ...manifest.peerDependenciesMeta },
    },
    /** Loaded by their address, not by an import: in the package they are where they are in dist. */
    programs: [
      'src/cli/main.js',
      'src/cli/open-files.js',
      'src/cli/under/watchdog-process.js',
      'src/runtime/keeper/worker.js',
      'src/runtime/slots-worker.js',
    ],
    /** Modules that have another in their place. */
    instead: { 'src/cli/laboratory/here.js': 'src/cli/laboratory/installed.js' },
    folders: [],
    readme: 'README.md',
    /** Guide, operating and reference, and what says what is promised. Commands have their manual. */
    documents:
      /^(LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/(guide|operating)\/.+\.md|docs\/reference\/(?!cli\.)[a-z]+\.md|docs\/glossary\.md)$/,
  },
  {
    manifest: {
      name: lab.name,
      version,
      description: lab.description,
      license,
      type,
      engines,
      man: manifest.man.filter(ofLab),
      exports: lab.exports,
      // Redis and its lock stand beside ours in two experiments, which say so where they are missing.
      peerDependencies: { coterie: version, ioredis: `^${ioredis}`, 'mcl-wasm': mcl, redlock: `^${redlock}` },
      peerDependenciesMeta: { ioredis: OPTIONAL, 'mcl-wasm': OPTIONAL, redlock: OPTIONAL },
    },
    programs: [
      'src/cli/lab-worker.js',
      'src/cli/sim-worker.js',
      'src/runtime/keeper/worker.js',
      'src/runtime/slots-worker.js',
      'lab/lock/holder.js',
    ],
    instead: {},
    /** The lab's page, small by its own build. */
    folders: ['page'],
    readme: 'packaging/lab/README.md',
    documents:
      /^(LICENSE|docs\/ARCHITECTURE\.md|docs\/(protocols|papers|lessons|decisions)\/.+\.md|docs\/glossary\.md|docs\/reference\/cli\.md|docs\/reference\/api\/(simulator|papers-.+|.+-proof)\.md)$/,
  },
]

/** Every door of both: its name in an import, the package, its key in the exports map, and its files. */
export const doors = packages.flatMap(({ manifest: { name, exports } }) =>
  Object.entries(exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([door, { types, default: file }]) => ({ name: name + door.slice(1), of: name, door, types, file })),
)
