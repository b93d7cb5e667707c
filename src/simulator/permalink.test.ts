// An address is a run: what is written is read again, and any other text is a sentence, never an exception.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { actText, type ManualAct, readAct } from './acts.ts'
import { ACTS_MAX, decodeRun, encodeRun, type RunName, type RunSpec, type Script, WORDS_MAX } from './permalink.ts'
import { fromBase64, toBase64 } from './puppet.ts'

const node = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map(place => `server-${place}`),
  fc.integer({ min: 1, max: 5 }).map(place => `client-${place}`),
  fc.integer({ min: 2, max: 9 }).map(life => `client-1#${life}`),
)
const micros = fc.integer({ min: 0, max: 60_000_000 })
const lasting = { at: micros, lasts: micros }
const message = { from: node, to: node, nth: fc.integer({ min: 1, max: 200_000 }) }
const off = { off: fc.constant(true as const) }
const kinds: fc.Arbitrary<ManualAct>[] = [
  fc.record({ kind: fc.constant('cut' as const), from: node, to: node, ...lasting }),
  fc.record({ kind: fc.constantFrom('crash' as const, 'lose' as const, 'pause' as const), node, ...lasting }),
  fc.record({ kind: fc.constant('slow' as const), node, factor: fc.integer({ min: 1, max: 1_000 }), ...lasting }),
  fc.record({
    kind: fc.constant('drift' as const),
    node,
    rate: fc.integer({ min: 500, max: 2_000 }).map(rate => rate / 1000),
  }),
  fc.record({ kind: fc.constantFrom('hold' as const, 'twice' as const), by: micros, ...message }),
  fc.record({ kind: fc.constant('drop' as const), ...message }),
  fc.record({ kind: fc.constant('do' as const), client: node, command: fc.constantFrom('use', 'try-2'), at: micros }),
]
const act = fc
  .tuple(fc.oneof(...kinds), fc.record(off, { requiredKeys: [] }))
  .map(([done, switched]): ManualAct => ({ ...done, ...switched }))
const word = fc.oneof(
  fc.constantFrom('f', 'l', 'h', '-', 'y', 'z'),
  fc.uint8Array({ maxLength: 40 }).map(bytes => `~${toBase64(bytes)}`),
)
const script = fc.record({ words: fc.array(word, { maxLength: 9 }), always: word }, { requiredKeys: ['words'] })
const run = fc.record(
  {
    name: fc.constantFrom('lock', 'lock-printed', 'token-ring'),
    servers: fc.integer({ min: 0, max: 12 }),
    liars: fc.integer({ min: 0, max: 4 }),
    crashes: fc.integer({ min: 0, max: 4 }),
    story: fc.constantFrom('duel', 'two-2'),
    bug: fc.constantFrom('one-grant-too-few', 'floor-0-after-a-lost-store'),
  },
  { requiredKeys: ['name'] },
)
const spec: fc.Arbitrary<RunSpec> = fc
  .record(
    {
      run,
      seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      calm: fc.constant(true as const),
      only: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 20 }),
      acts: fc.array(act, { maxLength: 12 }),
      say: fc.dictionary(node, script, { maxKeys: 3 }),
      at: fc.integer({ min: 0, max: 200_000 }),
      hash: fc.stringMatching(/^[0-9a-f]{8}$/),
      build: fc.constant('0.1.0'),
    },
    { requiredKeys: ['run', 'seed', 'acts', 'say'] },
  )
  // Records of fast-check may have no prototype.
  .map(drawn => ({ ...drawn, run: { ...drawn.run } as RunName, say: { ...drawn.say } as Record<string, Script> }))

describe('an address', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(spec, written => {
        const text = encodeRun(written)
        expect(decodeRun(text)).toEqual({ ok: true, spec: written })
        // As a browser shows it, with everything escaped that can be.
        const escaped = text.replaceAll(/[>#;:*@+~,]/g, letter => `%${letter.charCodeAt(0).toString(16)}`)
        expect(decodeRun(`https://lab.example/page.html#${escaped}`)).toEqual({ ok: true, spec: written })
      }),
      { numRuns: sized(500, 100_000) },
    )
  })
  it('that is any other text gives a sentence', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(
          'v=1',
          'run=lock',
          'seed=',
          'do=',
          'say=',
          '&',
          '#',
          '=',
          ';',
          ':',
          '@',
          '+',
          '>',
          '~',
          '*',
          '%',
        ),
        fc.constantFrom('hold:', 'cut:a>b', 'constructor:', '__proto__:', 'server-5:', '%zz', 'only=', 'n5', '.', '-'),
        fc.string({ maxLength: 8, unit: 'binary' }),
      ),
      { maxLength: 25 },
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          pieces.map(parts => parts.join('')),
        ),
        text => {
          const read = decodeRun(text)
          // What is read is a run: it is written and read the same.
          if (read.ok) expect(decodeRun(encodeRun(read.spec))).toEqual(read)
          else expect(read.refusal).toMatch(/^[^\n\0]{10,300}[.]$/)
        },
      ),
      { numRuns: sized(2_000, 100_000) },
    )
  })
  const refused: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /does not say what to run/],
    ['v=2&run=lock', /form 2; this build reads form 1/],
    ['run=lock&run=lock', /says 'run' twice/],
    ['run=lock&colour=red', /'colour=red' is nothing that an address of a run has/],
    ['run=lock&seed=1e3', /seed '1e3' is no whole number/],
    ['run=lock&seed=4294967296', /no whole number up to 4294967295/],
    ['run=Lock', /no name of something to run/],
    ['run=lock.n13', /12 servers at most/],
    ['run=lock.n05', /not a plain number/],
    ['run=lock.n5.n6', /says 'n' twice/],
    ['run=lock.q5', /'q5' is no size of a run/],
    ['run=lock&only=a', /no list of numbers/],
    ['run=lock&do=hold', /'hold' is no act/],
    ['run=lock&do=constructor:x', /'constructor:x' is no act/],
    ['run=lock&do=hold:a>b#0:5', /cannot be read; it looks like hold:client-1>server-1#1:2000/],
    ['run=lock&do=drift:server-1*3', /it looks like drift/],
    ['run=lock&do=cut:a>b@1+60000001', /it looks like cut/],
    ['run=lock&say=ff', /does not say who speaks/],
    ['run=lock&say=server-1:f,server-1:l', /server-1 speaks twice/],
    ['run=lock&say=a:f,b:f,c:f,d:f,e:f', /more than 4 traitors/],
    ['run=lock&say=server-1:F', /are no words/],
    ['run=lock&say=server-1:~Ab3x', /are no words/],
    [`run=lock&say=server-1:${'f'.repeat(WORDS_MAX + 1)}`, /500 are the most/],
    [
      `run=lock&do=${Array(ACTS_MAX + 1)
        .fill('drop:a>b#1')
        .join(';')}`,
      /501 acts; 500 are the most/,
    ],
    ['run=lock&h=xyz', /not eight digits/],
    ['run=lock&at=-1', /no whole number/],
    ['run=lock&calm=2', /can only be 1/],
    ['run=lock&c=%3Cscript%3E', /is no version/],
    ['run=%', /percent sign/],
    ['run=lock&'.repeat(20_000), /131072 are the most/],
  ]
  it.each(refused.map(([text, why]) => [text.slice(0, 40), why, text] as const))(
    '%s is refused: %s',
    (_shown, why, text) => {
      const read = decodeRun(text)
      expect(read.ok ? '' : read.refusal).toMatch(why)
    },
  )
  it('may have as many acts and words as the limits say', () => {
    const most: RunSpec = {
      run: { name: 'lock' },
      seed: 1,
      acts: Array.from({ length: ACTS_MAX }, () => readAct('twice:client-1#22>server-12#200000:60000000') as ManualAct),
      say: { 'server-1': { words: Array(WORDS_MAX).fill('f') as string[] } },
    }
    expect(decodeRun(encodeRun(most))).toEqual({ ok: true, spec: most })
  })
})

describe('an act', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(act, done => {
        expect(readAct(actText(done))).toEqual(done)
      }),
    )
  })
})

describe('the letters of a free word', () => {
  it('are those of RFC 4648 §5, and read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
        expect(fromBase64(toBase64(bytes))).toEqual(new Uint8Array(bytes))
      }),
    )
  })
  it('have one form: others are refused', () => {
    for (const text of ['A', 'AB', 'A+', 'AAAAA', 'é']) expect(fromBase64(text)).toBeUndefined()
  })
})
