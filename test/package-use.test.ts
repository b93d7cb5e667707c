// The packages, used as they are published: programs and commands of a folder that has nothing but them and what they
// depend on. Bundling moves files; what is found by its address (threads, watchdogs, the page) must still be found.

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as viteBuild } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, withScript } from './support/browser.ts'
import { installPackages, type Program } from './support/packed.ts'
import { endAll, freePorts, type Running, run, waitFor } from './support/processes.ts'

const root = join(import.meta.dirname, '..')
const SERVERS = 4
/** Long enough for a machine on which other tests run. */
const TTL = 4_000
/** The ports of members lie this far above those of servers. */
const MEMBERS_ABOVE = 200
const MEMBERS = 3

let program: Program

beforeAll(() => {
  program = installPackages()
})

afterAll(async () => {
  await endAll()
  program?.remove()
})

const coterie = (...args: string[]) =>
  spawnSync(process.execPath, [program.command, ...args], { cwd: program.folder, encoding: 'utf8', timeout: 60_000 })
const started = (...args: string[]): Running => run(process.execPath, [program.command, ...args])
/** A program of the repository that imports coterie, where it finds the published one. */
const borrowed = (name: string): string => {
  const file = join(program.folder, name)
  cpSync(join(root, 'test/e2e', name), file)
  return file
}

it('a program runs, in plain JavaScript', () => {
  const file = join(program.folder, 'first.mjs')
  const readme = readFileSync(join(program.coterie.folder, 'README.md'), 'utf8')
  writeFileSync(file, /```js\n([\s\S]+?)```/.exec(readme)![1]!)
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([0, 'true\n', ''])
})

it('says its version and lists its commands', () => {
  expect(coterie('--version').stdout.trim()).toBe(program.coterie.manifest.version)
  expect(coterie('--help').stdout).toMatch(/\n {2}lab .+/)
})

describe('with the laboratory beside it', () => {
  it('simulates, also in threads', () => {
    const { status, stdout } = coterie('sim', 'lock', '--seeds', '40', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ runs: 40, violations: [] })
  })

  it('runs experiments, also in threads', () => {
    const names = ['errata-bound', 'errata-best']
    const { status, stdout, stderr } = coterie('lab', 'run', ...names, '--jobs', '2', '--json')
    expect([status, stderr]).toEqual([0, ''])
    for (const name of names) expect(stdout).toContain(name)
  })

  it('explores', () => {
    expect(coterie('explore', '--help').status).toBe(0)
  })

  it('completes its options', () => {
    expect(coterie('completion', 'bash').stdout).toContain('--seeds')
  })

  it('serves the page', async () => {
    const port = await freePorts(1)
    const server = started('lab', 'serve', '--port', String(port))
    await waitFor('the page is served', () => server.output().includes(String(port)))
    const page = await fetch(`http://127.0.0.1:${port}/`)
    expect(await page.text()).toContain('<script')
    const script = await fetch(`http://127.0.0.1:${port}/core.js`)
    expect((await script.text()).length).toBeGreaterThan(10_000)
    server.child.kill('SIGINT')
    await server.ended
  })
})

describe('without the laboratory', () => {
  beforeAll(() => program.hideLab(true))
  afterAll(() => program.hideLab(false))

  it.each([
    ['sim', 'lock'],
    ['explore', 'lock'],
    ['lab', 'serve'],
    ['help', 'lab'],
    ['sim', '--help'],
  ])('coterie %s %s says what to install, and ends with 2', (...args) => {
    const { status, stdout, stderr } = coterie(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error: [^\n]+npm install coterie-lab[^\n]+\n$/)
  })

  it('completes what there is', () => {
    const { status, stdout } = coterie('completion', 'bash')
    expect(status).toBe(0)
    expect(stdout).toContain('--if-version')
    expect(stdout).toMatch(/\blab\b/)
  })
})

it('a laboratory of another version is refused', () => {
  const file = join(program.lab.folder, 'package.json')
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, before.replace(/"version": "[^"]+"/, '"version": "0.0.9"'))
  try {
    const { status, stderr } = coterie('sim', 'lock')
    expect(status).toBe(2)
    expect(stderr).toMatch(/^error: coterie-lab 0\.0\.9 is installed beside coterie [\d.]+, [^\n]+\n$/)
  } finally {
    writeFileSync(file, before)
  }
})

describe('a served group', () => {
  const client = () => join(program.folder, 'group/clients/admin')

  beforeAll(async () => {
    const port = await freePorts(SERVERS)
    const group = join(program.folder, 'group')
    const made = coterie('init', group, '--servers', String(SERVERS), '--base-port', String(port), '--client', 'admin')
    expect(made.status, made.stderr).toBe(0)
    for (let place = 1; place <= SERVERS; place++) {
      const server = started('serve', join(group, `servers/server-${place}`))
      await waitFor('it listens', () => server.output().includes('"msg":"listening"'))
    }
  })

  it('keeps entries, and shows who answers', () => {
    expect(coterie('set', '/colour', 'blue', '--config', client()).status).toBe(0)
    expect(coterie('get', '/colour', '--config', client()).stdout.trim()).toBe('blue')
    expect(coterie('status', '--config', client()).status).toBe(0)
    expect(coterie('doctor', join(program.folder, 'group')).status).toBe(0)
  })

  it('runs a command under a lock, with its watchdog', () => {
    const { status, stdout } = coterie('lock', 'job', '--config', client(), '--', 'echo', 'held')
    expect([status, stdout]).toEqual([0, 'held\n'])
  })

  it('renews from a thread while the program blocks for two leases', { retry: 1 }, async () => {
    const args = [client(), 'kept', TTL, 2 * TTL, 60_000].map(String)
    const holder = run(process.execPath, [borrowed('blocker.mjs'), ...args])
    expect(await holder.ended, holder.errors()).toBe(0)
    expect(JSON.parse(holder.output().split('\n')[1]!)).toMatchObject({ held: true, signalled: false })
    expect(holder.errors()).toBe('')
  })

  it('a bundle of a program finds the thread in the package', { retry: 1 }, async () => {
    const outfile = join(program.folder, 'bundled.mjs')
    await build({
      entryPoints: [borrowed('blocker.mjs')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: REQUIRE,
    })
    const holder = run(process.execPath, [outfile, client(), 'bundled', ...[TTL, 2 * TTL, 60_000].map(String)])
    expect(await holder.ended, holder.errors()).toBe(0)
    expect(JSON.parse(holder.output().split('\n')[1]!)).toMatchObject({ held: true })
    expect(holder.errors()).not.toContain('COTERIE_NO_KEEPER')
  })
})

/** Packages of CommonJS in a bundle of ES modules ask for it. */
const REQUIRE = { js: "import{createRequire as _require}from'node:module';const require=_require(import.meta.url);" }

it('members share seats, shuffled in a thread', { timeout: 120_000 }, async () => {
  const port = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  const pool = join(program.folder, 'pool')
  expect(coterie('init', pool, '--base-port', String(port), '--members', String(MEMBERS)).status).toBe(0)
  const journal = join(program.folder, 'journal')
  writeFileSync(journal, '')
  const user = borrowed('seat-user.mjs')
  const members = Array.from({ length: MEMBERS }, (_, place) =>
    run(process.execPath, [user, join(pool, `members/member-${place + 1}`), journal, String(TTL), 'oak,elm']),
  )
  await waitFor('somebody has a seat', () => readFileSync(journal, 'utf8') !== '', 100_000)
  for (const { child } of members) child.kill('SIGKILL')
  await Promise.all(members.map(({ ended }) => ended))
})

describe('in a browser', () => {
  const USED = { second: true, refused: true, grew: true, told: 'hello', visits: 20 }
  const entry = () => {
    const file = join(program.folder, 'entry.ts')
    const text = readFileSync(join(root, 'test/browser/embedded-entry.ts'), 'utf8')
    writeFileSync(file, text.replace('../../src/browser/index.ts', 'coterie/browser'))
    return file
  }
  const inPage = () => (globalThis as unknown as { module: { useEverything(): unknown } }).module.useEverything()
  const use = async (script: string) => {
    expect(script).not.toMatch(/from ?["']node:/)
    if (hasBrowser) expect(await withScript(script, page => page.evaluate(inPage))).toEqual(USED)
  }

  it('esbuild bundles it', async () => {
    const how = { bundle: true, write: false, format: 'iife', platform: 'browser', target: 'es2022' } as const
    const { outputFiles, warnings } = await build({ ...how, entryPoints: [entry()], globalName: 'module' })
    expect(warnings).toEqual([])
    await use(outputFiles[0]!.text)
  })

  it('Vite bundles it', async () => {
    const lib = { entry: entry(), name: 'module', formats: ['iife' as const] }
    const how = { root: program.folder, logLevel: 'error', configFile: false, build: { write: false, lib } } as const
    const built = await viteBuild(how)
    const [first] = Array.isArray(built) ? built : [built]
    const { output } = first as unknown as { output: { code?: string }[] }
    await use(`${output[0]!.code!}\nglobalThis.module = module`)
  })
})
