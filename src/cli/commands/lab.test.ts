// coterie lab: what it prints, what it writes, what it refuses, and the exit code.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Experiment, experiments } from '../../../lab/index.ts'
import { runCommand } from '../../../test/support/command.ts'
import { labCommand } from './lab.ts'
import { pageServer } from './lab-page.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-lab-'))
})

afterEach(async () => {
  vi.restoreAllMocks()
  process.exitCode = undefined
  await rm(root, { recursive: true, force: true })
})

/** What a shell would see. */
const run = (...line: string[]) => runCommand([labCommand()], ['lab', ...line])

/** Puts a quick experiment in the place of a listed one. */
function replace(name: string, measured: number): void {
  const experiment = experiments.find(listed => listed.name === name) as Experiment
  vi.spyOn(experiment, 'run').mockImplementation(({ progress }) => {
    progress(0.5, 'half')
    return {
      rows: [{ what: 'a figure', expected: 1, measured, tolerance: 0.5, within: Math.abs(measured - 1) <= 0.5 }],
      pictures: [{ name: `${name}.svg`, svg: '<svg/>' }],
      notes: ['A sentence.'],
    }
  })
}

const NAME = 'backoff-response'

/** `run` restores all mocks when it ends, so each run gets its own replacement. */
async function runWith(measured: number, ...line: string[]) {
  replace(NAME, measured)
  return run(...line)
}

describe('coterie lab list', () => {
  it('names every experiment with its section', async () => {
    const { out, err, code } = await run('list')
    expect(out.trim().split('\n')).toHaveLength(experiments.length)
    for (const { name, source } of experiments) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(out).toContain(`${name} `)
      expect(out).toContain(`(${source})`)
    }
    expect(new Set(experiments.map(({ name }) => name)).size).toBe(experiments.length)
    expect({ err, code }).toEqual({ err: '', code: 0 })
  })

  it('lists in JSON', async () => {
    const listed = JSON.parse((await run('list', '--json')).out)
    expect(listed).toEqual(experiments.map(({ name, title, source }) => ({ name, title, source })))
  })
})

describe('coterie lab run', () => {
  it('prints a table, and ends with 0 where every figure is within', async () => {
    const { out, err, code } = await runWith(1.2, 'run', NAME)
    expect(out).toMatch(/a figure\s+1\s+1\.2\s+± 0\.5\s+✓\n/)
    expect(out).toContain('A sentence.')
    expect(out).toContain('all 1 expected figures are within their tolerance')
    expect({ err, code }).toEqual({ err: '', code: 0 })
  })

  it('ends with 1 where one is not', async () => {
    const { out, code } = await runWith(2, 'run', NAME)
    expect(out).toMatch(/± 0\.5\s+✗\n/)
    expect(out).toContain('1 of 1 expected figures are off')
    expect(code).toBe(1)
    expect((await runWith(2, 'run', NAME, '--json')).code).toBe(1)
  })

  it('ends with 1 where nothing was measured, and says why', async () => {
    const experiment = experiments.find(listed => listed.name === NAME) as Experiment
    const nothing = { rows: [], pictures: [], notes: ['Not run: a program is not there.'] }
    vi.spyOn(experiment, 'run').mockImplementation(() => nothing)
    const { out, code } = await run('run', NAME)
    expect(out).toContain('Not run: a program is not there.')
    expect(out).toContain('nothing was measured')
    expect(code).toBe(1)
  })

  it('reports in JSON what was run', async () => {
    const report = JSON.parse((await runWith(1, 'run', NAME, '--seed', '9', '--scale', 'full', '--json')).out)
    expect(report).toMatchObject({ name: NAME, seed: 9, scale: 'full', within: true, pictures: [`${NAME}.svg`] })
    expect(report.rows).toEqual([{ what: 'a figure', expected: 1, measured: 1, tolerance: 0.5, within: true }])
  })

  it('writes rows and pictures, and writes over those of before', async () => {
    const out = join(root, 'results', 'today')
    await runWith(1.1, 'run', NAME, '--out', out)
    await runWith(1, 'run', NAME, '--out', out)
    expect((await readdir(out)).sort()).toEqual([`${NAME}.csv`, `${NAME}.json`, `${NAME}.svg`])
    expect(JSON.parse(await readFile(join(out, `${NAME}.json`), 'utf8'))).toMatchObject([{ measured: 1 }])
    expect(await readFile(join(out, `${NAME}.csv`), 'utf8')).toContain('a figure,1,1,0.5,,true')
    expect(await readFile(join(out, `${NAME}.svg`), 'utf8')).toBe('<svg/>')
  })

  it('runs all, and counts what was judged and what is outside', async () => {
    for (const { name } of experiments) replace(name, name === NAME ? 2 : 1)
    const { out, code } = await run('run', '--all', '--jobs', '1', '--json')
    const { experiments: listed, ...total } = JSON.parse(out)
    expect(listed.map((report: { name: string }) => report.name)).toEqual(experiments.map(({ name }) => name))
    expect(total).toMatchObject({ scale: 'small', seed: 1, judged: experiments.length, outside: 1, within: false })
    expect(listed[0]).toMatchObject({ name: NAME, judged: 1, outside: 1, within: false })
    expect(code).toBe(1)
  })

  it('says of several a line each, and those outside in full', async () => {
    replace(NAME, 2)
    replace('torus', 1)
    const { out, code } = await run('run', 'torus', NAME, '--jobs', '1')
    expect(out).toMatch(
      /judged {2}outside {2}seconds\ntorus {12,}1 {8}0 {6}0\.0\nbackoff-response {7,}1 {8}1 {6}0\.0\n/,
    )
    expect(out).toContain('1 of 1 expected figures are off')
    expect(out).toContain('2 experiments, 2 figures judged, 1 outside')
    expect(out).not.toContain('all 1 expected figures')
    expect(code).toBe(1)
  })

  it('goes on where one fails, and ends with 1', async () => {
    const experiment = experiments.find(listed => listed.name === 'torus') as Experiment
    vi.spyOn(experiment, 'run').mockImplementation(() => {
      throw new Error('the floor gave way')
    })
    replace(NAME, 1)
    const { out, code } = await run('run', 'torus', NAME, '--jobs', '1')
    expect(out).toContain('It failed: the floor gave way')
    expect(out).toContain('Not as expected: torus')
    expect(code).toBe(1)
  })

  it('runs all by the name all', async () => {
    for (const { name } of experiments) replace(name, 1)
    const { out, code } = await run('run', 'all', '--jobs', '1', '--json')
    expect(JSON.parse(out)).toMatchObject({ judged: experiments.length, outside: 0, within: true })
    expect(code).toBe(0)
  })

  it('shows progress on a terminal only', async () => {
    const before = process.stderr.isTTY
    process.stderr.isTTY = true
    try {
      expect((await runWith(1, 'run', NAME)).err).toContain(`${NAME}   50 %  half`)
    } finally {
      process.stderr.isTTY = before
    }
  })

  it('runs for real', async () => {
    const { out, code } = await run('run', 'errata-backoff-5b', '--json')
    expect(JSON.parse(out).rows[0]).toMatchObject({ measured: 1, within: true })
    expect(code).toBe(0)
  })
})

describe('coterie lab refuses', () => {
  it.each([
    ['a name with a slip', ['run', 'backof-response'], /there is no experiment 'backof-response'.*mean backoff-resp/],
    ['a name like nothing', ['run', 'quantum-annealing'], /no experiment 'quantum-annealing'.*coterie lab list/],
    ['no name', ['run'], /name an experiment, or say --all/],
    ['names beside --all', ['run', NAME, '--all'], /leave the names out/],
    ['no job at all', ['run', NAME, 'torus', '--jobs', '0'], /--jobs must be at least 1/],
    ['another scale', ['run', NAME, '--scale', 'huge'], /'--scale <scale>' .*must be small or full/],
    ['a seed that is no number', ['run', NAME, '--seed', 'x'], /must be a whole number/],
    ['an unknown verb', ['walk'], /unknown command/],
  ])('%s', async (_, line, sentence) => {
    const { out, err, code } = await run(...line)
    expect(err).toMatch(sentence)
    expect({ out, code }).toEqual({ out: '', code: 2 })
  })

  it('a folder that cannot be, before it measures', async () => {
    await writeFile(join(root, 'file'), '')
    const { out, err, code } = await run('run', NAME, '--out', join(root, 'file', 'below'))
    expect(err).toMatch(/^error: cannot make .*below: .*\n$/)
    expect({ out, code }).toEqual({ out: '', code: 1 })
  })

  it('a file that cannot be written, with its name', async () => {
    await mkdir(join(root, `${NAME}.csv`, 'full'), { recursive: true })
    const { err, code } = await runWith(1, 'run', NAME, '--out', root)
    expect(err).toMatch(/^error: cannot write .*backoff-response\.csv: .*\n$/)
    expect(code).toBe(1)
  })

  it.each([[[]], [['list']], [['run']]])('nothing that it does not explain: %j', async words => {
    const { out, code } = await run(...words, '--help')
    expect(out).toMatch(/Usage: coterie lab/)
    expect(out).toMatch(/\nExample:\n {2}\$ coterie lab /)
    expect(code).toBe(0)
  })
})

describe('coterie lab serve', () => {
  const files = new Map([
    ['index.html', Buffer.from('<!doctype html>')],
    ['core.js', Buffer.from('1')],
  ])

  it('serves the files that it was given and nothing else, and lets no other site frame them', async () => {
    const server = pageServer(files)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method })
    const index = await get('/?x=1')
    expect([index.status, index.headers.get('content-type'), await index.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '<!doctype html>',
    ])
    expect(index.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(index.headers.get('content-security-policy')).not.toContain('unsafe')
    expect((await get('/core.js')).headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    const others = ['/package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/core.js/', '/__proto__']
    for (const path of others) expect((await get(path)).status, path).toBe(404)
    expect((await get('/', 'POST')).status).toBe(405)
    server.closeAllConnections()
    server.close()
  })
})

describe('coterie lab export', () => {
  it('does not write into a folder that has something in it', async () => {
    await writeFile(join(root, 'kept'), 'kept')
    const { err, code } = await run('export', root)
    expect(err).toMatch(/is not empty; choose a new folder|the page is not built/)
    expect(code).toBe(1)
    expect(await readdir(root)).toEqual(['kept'])
  })
})
