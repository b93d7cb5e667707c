// coterie dedup as a shell sees it: the built program, its streams, its files and its exit codes.

import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { structureNames } from '../dedup/structures.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/coterie', import.meta.url))
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-dedup-'))
})

afterAll(() => rm(root, { recursive: true, force: true }))

interface Seen {
  readonly out: string
  readonly err: string
  readonly code: number | null
}

function run(input: string, ...line: string[]): Promise<Seen> {
  const child = spawn(process.execPath, [PROGRAM, 'dedup', ...line], { cwd: root })
  let [out, err] = ['', '']
  child.stdout.on('data', text => {
    out += text
  })
  child.stderr.on('data', text => {
    err += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise(resolve => child.on('close', code => resolve({ out, err, code })))
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join('')

describe('coterie dedup', () => {
  it('passes on what is new, or what is not', async () => {
    expect(await run('a\nb\na\nc')).toEqual({ out: 'a\nb\nc', err: '', code: 0 })
    expect(await run('a\nb\na\nc', '--only-duplicates')).toEqual({ out: 'a\n', err: '', code: 0 })
  })

  it('compares a field', async () => {
    expect((await run('1 x\n2  x\n3 y\n', '--field', '2')).out).toBe('1 x\n3 y\n')
    expect((await run('1\tx y\n2\tx y\n', '--field', '2', '--separator', '\\t')).out).toBe('1\tx y\n')
  })

  it('reads files one after another, and standard input among them', async () => {
    await writeFile(join(root, 'one'), 'a\nb')
    await writeFile(join(root, 'two'), 'b\nc\n')
    expect((await run('c\nd\n', 'one', 'two', '-')).out).toBe('a\nb\nc\nd\n')
  })

  it('reports on standard error, with the errors that its arithmetic expects', async () => {
    const { out, err } = await run(
      numbers(0, 50_000),
      '--memory',
      '20kB',
      '--window',
      '50000',
      '--structure',
      'qht',
      '--seed',
      '1',
      '--report',
    )
    expect(err).toMatch(/^filter {11}QuotientHashTable bits 160000, cells 1, fingerprintBits \d+; 20 kB of cells\n/)
    expect(err).toMatch(/\nlines {12}50,000 \(289 kB\)\n/)
    expect(err).toMatch(/\nspeed {12}.* million lines a second \(.* s\)\n$/)
    // Every line is new: what is missing was called a duplicate in error, as often as was to be expected.
    const wrong = 50_000 - out.split('\n').length + 1
    const expected = Number(/about ([\d,]+) expected \([\d.]+ % of new/.exec(err)![1]!.replace(',', ''))
    expect(wrong).toBeGreaterThan(0)
    expect(Math.abs(wrong - expected)).toBeLessThan(6 * Math.sqrt(expected))
  })

  it('a seed repeats a run', async () => {
    const line = ['--memory', '1kB', '--window', '1000', '--seed', '7']
    const [one, again, other] = [
      await run(numbers(0, 3000), ...line),
      await run(numbers(0, 3000), ...line),
      await run(numbers(0, 3000), ...line.slice(0, -1), '8'),
    ]
    expect(one.out).toBe(again.out)
    expect(one.out).not.toBe(other.out)
  })

  it('goes on from a snapshot, with the same key and shape only', async () => {
    const line = ['--snapshot', 'seen.state', '--key-file', 'seen.key', '--memory', '100kB', '--window', '1000']
    expect((await run('a\nb\n', ...line)).out).toBe('a\nb\n')
    expect((await stat(join(root, 'seen.key'))).mode & 0o777).toBe(0o600)
    expect((await run('b\nc\n', ...line)).out).toBe('c\n')
    expect((await run('a\nb\nc\nd\n', ...line, '--report')).err).toContain('duplicates       3 (75 %)')
    const other = await run('a\n', ...line.slice(0, -1), '2000')
    expect(other).toMatchObject({ out: '', code: 2 })
    expect(other.err).toMatch(/seen.state was saved by .*Give the same --memory, --window and --structure/)
    await writeFile(join(root, 'seen.key'), '0011223344556677\n')
    expect(await run('a\n', ...line)).toMatchObject({
      out: '',
      code: 1,
      err: expect.stringMatching(/key is not the one/),
    })
    await writeFile(join(root, 'seen.state'), (await readFile(join(root, 'seen.state'))).subarray(0, 40))
    expect(await run('a\n', ...line)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot go on from seen.state/),
    })
  })

  it('a reader that has seen enough is no failure', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'dedup'], { stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdout.once('data', () => child.stdout.destroy())
    child.stdin.on('error', () => {})
    let err = ''
    child.stderr.on('data', text => {
      err += text
    })
    child.stdin.end(numbers(0, 300_000))
    const code = await new Promise(resolve => child.on('close', resolve))
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })
})

test.each(structureNames)('structure %s drops what came just now', async name => {
  const { out, err, code } = await run(
    'a\na\nb\n',
    '--structure',
    name,
    '--memory',
    '10kB',
    '--window',
    '500',
    '--report',
  )
  expect({ out, code }).toEqual({ out: 'a\nb\n', code: 0 })
  expect(err).toContain('false negatives')
})

describe('coterie dedup advise', () => {
  it('says which structure, which parameters, which errors', async () => {
    const { out, code } = await run('', 'advise', '--memory', '100kB', '--window', '50000')
    expect(out).toMatch(
      /^QueuedQuotientHashTableWithDuplicates with bits 800000, .*: expect .* % of new elements called/,
    )
    expect(out).toContain('the best of every other structure')
    expect(code).toBe(0)
  })

  it('in JSON, and takes the exact window when it fits', async () => {
    const { out } = await run('', 'advise', '--memory', '1MB', '--window', '5000', '--alphabet', '1000000', '--json')
    expect(JSON.parse(out)).toMatchObject({ exactFits: true, choice: { structure: 'ExactWindow' } })
  })
})

describe('coterie dedup refuses', () => {
  it.each([
    ['memory that is none', ['--memory', 'lots'], /It must be an amount of memory: 1MB/],
    ['too much memory', ['--memory', '100GB'], /bits is 800000000000: at most 4294967296 work/],
    ['no window', ['--window', '0'], /window is 0: a whole number of at least 1 works/],
    ['field 0', ['--field', '0'], /--field is 0: fields are counted from 1/],
    ['a separator without a field', ['--separator', ','], /give --field, too/],
    ['a separator of two', ['--field', '1', '--separator', ',,'], /one character of ASCII/],
    ['an unknown structure', ['--structure', 'magic'], /Allowed choices are exact, shf/],
    ['a snapshot without a key', ['--snapshot', 'state'], /--snapshot needs the key .*--key-file FILE/],
    ['two keys', ['--key-file', 'k', '--seed', '1'], /--key-file and --seed both give the key/],
    ['advice on nothing', ['advise', '--window', '5'], /required option '--memory <size>' not specified/],
  ])('%s', async (_, line, sentence) => {
    const { out, err, code } = await run('a\n', ...line)
    expect(err).toMatch(sentence)
    expect(err).not.toContain('bug')
    expect({ out, code }).toEqual({ out: '', code: 2 })
  })

  it('a file that is not there, a folder, a key file that is none', async () => {
    await writeFile(join(root, 'no.key'), 'secret')
    expect(await run('', 'missing.log')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot read missing.log/),
    })
    expect(await run('', root)).toMatchObject({ code: 1, err: expect.stringMatching(/it is a folder/) })
    expect(await run('', '--key-file', 'no.key')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no.key is no key/),
    })
  })

  it('a key longer than the exact window has room for', async () => {
    const { out, err, code } = await run(
      `a\n${'x'.repeat(500)}\n`,
      '--structure',
      'exact',
      '--memory',
      '1kB',
      '--window',
      '50',
    )
    expect(err).toMatch(/^error: .*bytes.*\n$/)
    expect(code).toBe(1)
    expect(out).toBe('')
  })

  it('nothing that it does not explain', async () => {
    for (const line of [['--help'], ['advise', '--help']]) {
      const { out, code } = await run('', ...line)
      expect(out).toMatch(/\nExample:\n {2}\$ coterie dedup /)
      expect(out).toMatch(/\nExit codes: 0 /)
      expect(code).toBe(0)
    }
  })
})
