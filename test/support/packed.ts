// The packages as they are published: made, packed as `npm publish` packs them, and unpacked where a program would find them.

import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** What a package.json says. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly man: readonly string[]
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly scripts?: unknown
}

/** One package of a program. */
export interface Packed {
  readonly manifest: Manifest
  readonly folder: string
  readonly tarball: string
  readonly files: readonly string[]
  /** What programs import. */
  readonly doors: readonly string[]
}

/** A folder with a program's node_modules. */
export interface Program {
  readonly folder: string
  readonly coterie: Packed
  readonly lab: Packed
  /** The command, as `npx coterie` would start it. */
  readonly command: string
  /** What is published, before it is packed. */
  readonly made: string
  /** Takes the laboratory away, or brings it back. */
  hideLab(hidden: boolean): void
  remove(): void
}

/** Makes both packages, and installs them with what they depend on, and no more. */
export function installPackages(): Program {
  const base = mkdtempSync(join(tmpdir(), 'coterie-package-'))
  const made = join(base, 'made')
  const folder = join(base, 'program')
  run('node', [join(root, 'packaging/make.mjs'), made])
  const [coterie, lab] = ['coterie', 'coterie-lab'].map(name => install(name, { base, made, folder })) as [
    Packed,
    Packed,
  ]
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const name of ['@types/node', 'undici-types', ...dependencies()]) link(folder, name)
  const away = join(base, 'away')
  return {
    folder,
    coterie,
    lab,
    made,
    command: join(coterie.folder, 'bin/coterie'),
    hideLab: hidden => renameSync(hidden ? lab.folder : away, hidden ? away : lab.folder),
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

function install(name: string, { base, made, folder }: { base: string; made: string; folder: string }): Packed {
  const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', base], join(made, name))
  const tarball = join(base, packed.trim())
  const to = join(folder, 'node_modules', name)
  mkdirSync(to, { recursive: true })
  run('tar', ['xzf', tarball, '--strip-components=1', '-C', to])
  const entries = readdirSync(to, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const manifest = JSON.parse(readFileSync(join(to, 'package.json'), 'utf8')) as Manifest
  return {
    manifest,
    folder: to,
    tarball,
    files: entries.map(entry => join(entry.parentPath, entry.name).slice(to.length + 1)),
    doors: Object.keys(manifest.exports)
      .filter(door => door !== './package.json')
      .map(door => name + door.slice(1)),
  }
}

function run(command: string, args: string[], cwd = root): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

function link(folder: string, name: string): void {
  const target = join(folder, 'node_modules', name)
  mkdirSync(dirname(target), { recursive: true })
  try {
    symlinkSync(join(root, 'node_modules', name), target)
  } catch {}
}

/** Runtime dependencies and everything below them, as the lock file has it. */
function dependencies(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; peer?: boolean }>
  }
  const top = Object.entries(lock.packages).filter(([path, { dev, peer }]) => path !== '' && !dev && !peer)
  return top.map(([path]) => path.slice('node_modules/'.length)).filter(path => !path.includes('node_modules/'))
}
