import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { filterCommand, guessedFilter } from './filter.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  process.exitCode = undefined
})

const EVENTS = [
  '{"price": 9.5, "symbol": "ACME", "topic": "eu/xetra/ACME"}',
  '{"price": 12, "symbol": "ACME", "topic": "us/nyse/ACME"}',
  '',
  '{"detail": {"state": "on"}, "price": "9"}',
]

async function run(lines: readonly string[], ...words: string[]) {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!
  Object.defineProperty(process, 'stdin', { value: Readable.from([`${lines.join('\n')}\n`]), configurable: true })
  try {
    return await runCommand([filterCommand()], ['filter', 'test', ...words])
  } finally {
    Object.defineProperty(process, 'stdin', stdin)
  }
}

describe('coterie filter test', () => {
  it('passes on the lines that match, unchanged', async () => {
    const { out, code } = await run(EVENTS, '{"price": {"lt": 10}}')
    expect(out).toBe(`${EVENTS[0]}\n`)
    expect(code).toBe(0)
  })
  it('explains each event, as text and as JSON', async () => {
    const { out } = await run(EVENTS, '{"price": {"lt": 10}}', '--explain')
    expect(out.split('\n')).toEqual([
      '✓ 1  It matches: price must be a number below 10.',
      '✗ 2  It does not match: price must be a number below 10, and the event has 12.',
      '✗ 4  It does not match: price must be a number below 10, and the event has "9".',
      '',
    ])
    const json = await run(EVENTS, '{"price": {"lt": 10}}', '--explain', '--json')
    const [first] = json.out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(first).toMatchObject({ line: 1, matches: true, clauses: [{ holds: true }] })
  })
  it.each([
    ['sns', '{"price": [{"numeric": ["<", 10]}]}', 0],
    ['eventbridge', '{"detail": {"state": ["on"]}}', 3],
    ['pubsub', 'attributes.symbol = "ACME" AND attributes:price', 0],
    ['cloudevents', '[{"prefix": {"symbol": "AC"}}]', 0],
    ['mqtt', '$share/team/eu/+/ACME', 0],
  ])('speaks %s', async (language, filter, first) => {
    const { out, code } = await run(EVENTS, '--language', language, filter)
    expect(out.split('\n')[0]).toBe(EVENTS[first])
    expect(code).toBe(0)
  })
  it('speaks nats', async () => {
    expect((await run(['{"topic": "eu.xetra.ACME"}'], '--language', 'nats', 'eu.>')).code).toBe(0)
  })
  it('reads the filter from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coterie-filter-'))
    const file = join(folder, 'filter.json')
    await writeFile(file, '{"symbol": "ACME"}\n')
    expect((await run(EVENTS, `@${file}`)).out.split('\n')).toHaveLength(3)
    await rm(folder, { recursive: true })
    expect(await run(EVENTS, `@${file}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/there is no such file/),
    })
  })
  it.each([
    ['no event matches', ['{"price": 100}'], 1, /^$/],
    ['a filter that is no JSON', ['{price: 1}'], 2, /is no JSON.*For example/],
    ['a filter with a mistyped operator', ['{"price": {"prefxi": "a"}}'], 2, /Did you mean 'prefix'/],
    ['a language that is not there', ['--language', 'klingon', 'x'], 2, /Allowed choices are/],
    ['CESQL', ['--language', 'cloudevents', '{"sql": "a = 1"}'], 2, /CESQL.* is not spoken here/],
  ])('%s', async (_what, words, code, message) => {
    const seen = await run(EVENTS, ...words)
    expect(seen.code).toBe(code)
    expect(seen.err).toMatch(message)
  })
  it.each([
    ['no JSON', '{"a": ', /line 1 is no JSON/],
    ['a list of objects', '{"items": [{"a": 1}, {"a": 2}]}', /line 1: "items" is a list of objects/],
  ])('says which line is no event: %s', async (_what, line, message) => {
    const seen = await run([line], '{"a": 1}')
    expect(seen.code).toBe(1)
    expect(seen.err).toMatch(message)
  })
  it('has help with an example and exit codes', async () => {
    const { out } = await runCommand([filterCommand()], ['filter', 'test', '--help'])
    expect(out).toContain('Example:\n  $ coterie filter test')
    expect(out).toMatch(/Exit codes: .*2 wrong usage/s)
  })
})

describe('a filter whose language was not said', () => {
  it.each([
    ['price=9.5', /looks like an expression.*say --language mqtt/],
    ['price < 10', /looks like an expression/],
    ['attributes.symbol = "ACME"', /--language pubsub/],
    ['eu.*.ACME', /--language nats/],
    ['[{"exact": {"type": "x"}}]', /--language cloudevents/],
    ['eu/*/ACME', /\+ is one level/],
    ['{"price": [{"numeric": ["<", 10]}]}', /--language sns/],
  ])('is refused where it is no topic: %s', (text, says) => {
    expect(() => guessedFilter(text)).toThrow(says)
  })
  it.each(['eu/#', '$share/team/eu/+', 'eu', 'a b/c', 'eu/line=3', '{"price": {"lt": 10}}'])('is taken: %s', text => {
    expect(guessedFilter(text).$any).toHaveLength(1)
  })
  it('is refused as JSON with the language that it looks like', async () => {
    const { err, code } = await run(EVENTS, 'eu/#')
    expect(err).toMatch(/the filter is no JSON.*It looks like a topic filter of MQTT.*--language mqtt/)
    expect(code).toBe(2)
  })
})
