// The matcher in peks mode (protocols/secret-events 7): what is found, what is refused, whose turn it is, and how much may wait.

import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { seededBytes, utf8 } from '../../../../test/support/crypto.ts'
import { Puppet, sent, told } from '../../../../test/support/machine.ts'
import type { Effect } from '../../../core/index.ts'
import { idealCiphers } from '../../../crypto/index.ts'
import { FIRST_BYTES, idealPairing, mclEngine } from '../../../crypto/peks/index.ts'
import { channelNames } from '../keys.ts'
import { PAIRINGS_MAX, PAIRINGS_TURN, SEARCHED_MAX, TRAPDOORS_MAX } from '../limits.ts'
import { secretRules } from '../rules.ts'
import { matchTools, searchSecret, searchTools } from '../searching.ts'
import type { MatcherSettings } from '../settings.ts'
import { type CarrierMessage, encodeFrame, type Frame } from '../wire.ts'
import { secretMatcher } from './machine.ts'
import type { MatcherEvent, MatcherState } from './state.ts'

const channel = new Uint8Array(16).fill(7)
const { matcher: matcherName } = channelNames(channel)
const engine = idealPairing()
const tools = searchTools(engine, searchSecret(sha256(utf8('reader'))))
const random = seededBytes(1)
const reader = (number: number) => new Uint8Array(16).fill(number)
const settings: MatcherSettings = {
  rules: secretRules,
  channels: [channel],
  ciphers: idealCiphers(),
  match: matchTools(engine),
  wall: now => now,
  lap: 10_000,
  forgetAfter: 120_000,
}

type Out = Effect<CarrierMessage, MatcherEvent>[]

class Matcher extends Puppet<MatcherState, CarrierMessage, never, MatcherEvent> {
  constructor(change: Partial<MatcherSettings> = {}) {
    super(secretMatcher({ ...settings, ...change }), ['broker'], undefined, 'matcher')
    this.start()
  }

  tell(frame: Frame, name = matcherName): Out {
    return this.hear('broker', { kind: 'came', name, body: encodeFrame(frame) })
  }

  seek(box: string, trapdoors: readonly Uint8Array[], of = 1): Out {
    return this.tell({ kind: 'search', box, reader: reader(of), trapdoors })
  }

  /** An event with these words, for one reader. */
  mark(words: readonly string[], of = 1, change: Partial<Frame & { kind: 'marked' }> = {}): Out {
    const { point, marks } = tools.mark(tools.publicKey, channel, words.map(utf8), random)!
    const rest = { key: new Uint8Array(8), nonce: new Uint8Array(12), sealed: new Uint8Array(80) }
    return this.tell({ kind: 'marked', epoch: 1, reader: reader(of), point, marks, ...rest, ...change })
  }
}

const trapdoor = (word: string) => tools.trapdoor(utf8(word))
const boxes = (out: Out) => sent(out).flatMap(({ body }) => (body.kind === 'send' ? [body.name] : []))
const many = (count: number, from = 0) => Array.from({ length: count }, (_, at) => trapdoor(`w${from + at}`))

describe('a matcher with pairings', () => {
  it('sends an event to who has a trapdoor of one of its words, and to nobody else', () => {
    const matcher = new Matcher()
    matcher.seek('ours', [trapdoor('x'), trapdoor('a')])
    matcher.seek('theirs', [trapdoor('b')], 2)
    expect(boxes([...matcher.mark(['a', 'c']), ...matcher.pass(100)])).toEqual(['ours'])
    expect(boxes([...matcher.mark(['b']), ...matcher.pass(100)])).toEqual([])
    expect(boxes([...matcher.mark(['b'], 2), ...matcher.pass(100)])).toEqual(['theirs'])
    matcher.seek('ours', [trapdoor('b')])
    expect(boxes([...matcher.mark(['a']), ...matcher.pass(100)])).toEqual([])
    expect(boxes([...matcher.mark(['b']), ...matcher.pass(100)])).toEqual(['ours'])
    matcher.seek('ours', [])
    expect(boxes([...matcher.mark(['b']), ...matcher.pass(100)])).toEqual([])
    expect([matcher.state.searched, matcher.state.readers.size]).toEqual([1, 1])
  })

  it('keeps the order of the events of one reader', () => {
    const matcher = new Matcher()
    matcher.seek('ours', many(20))
    // The first takes twenty pairings, the second one.
    const second = matcher.mark(['w19']).concat(matcher.mark(['w0'], 1, { sealed: new Uint8Array(500) }))
    const lengths = sent([...second, ...matcher.pass(1_000)]).flatMap(({ body }) =>
      body.kind === 'send' ? [body.body.length > 500] : [],
    )
    expect(lengths).toEqual([false, true])
  })

  it('refuses what is no point, is the identity, or came under another name', () => {
    const matcher = new Matcher()
    matcher.seek('ours', [new Uint8Array(FIRST_BYTES), new Uint8Array(FIRST_BYTES).fill(255), new Uint8Array(3)])
    expect(matcher.state.seekers.size).toBe(0)
    matcher.seek('ours', [trapdoor('a')])
    for (const change of [{ point: new Uint8Array(96) }, { point: new Uint8Array(3) }, { marks: [] }])
      expect(boxes([...matcher.mark(['a'], 1, change), ...matcher.pass(100)])).toEqual([])
    const { point, marks } = tools.mark(tools.publicKey, channel, [utf8('a')], random)!
    const rest = { key: new Uint8Array(0), nonce: new Uint8Array(12), sealed: new Uint8Array(16) }
    const frame = { kind: 'marked', epoch: 1, reader: reader(1), point, marks, ...rest } as const
    expect(boxes([...matcher.tell(frame, 'elsewhere'), ...matcher.pass(100)])).toEqual([])
    expect(boxes([...matcher.tell(frame), ...matcher.pass(100)])).toEqual(['ours'])
  })

  it('without pairings nothing is matched, and nothing is kept', () => {
    const matcher = new Matcher({ match: undefined })
    matcher.seek('ours', [trapdoor('a')])
    expect(boxes([...matcher.mark(['a']), ...matcher.pass(100)])).toEqual([])
    expect(matcher.state.seekers.size).toBe(0)
  })

  it(`does ${PAIRINGS_TURN} pairings at once, readers in turn: one that asks for much does not keep the others waiting`, () => {
    const matcher = new Matcher()
    matcher.seek('greedy', many(500), 2)
    matcher.seek('modest', [trapdoor('a')])
    matcher.mark(['none'], 2)
    matcher.mark(['a'])
    expect(matcher.state.pairings).toBe(501)
    expect(boxes(matcher.pass(1))).toEqual(['modest'])
    expect(matcher.state.pairings).toBe(501 - PAIRINGS_TURN)
  })

  it(`${PAIRINGS_MAX} pairings may wait: beyond them the one for whom most wait gives way, and that is told`, () => {
    const matcher = new Matcher()
    matcher.seek('greedy', many(SEARCHED_MAX), 2)
    matcher.seek('modest', [trapdoor('a')])
    expect(told(matcher.mark(['none'], 2))).toEqual([])
    expect(matcher.state.pairings).toBe(PAIRINGS_MAX)
    expect(told(matcher.mark(['none'], 2))).toEqual([{ kind: 'behind', pairings: PAIRINGS_MAX }])
    // Just one more, and it is the other reader's.
    expect(told(matcher.mark(['a']))).toEqual([{ kind: 'behind', pairings: 1 }])
    expect(boxes(matcher.pass(100))).toEqual(['modest'])
    expect([matcher.state.pairings, matcher.state.busy.length]).toEqual([0, 0])
  })

  it(`${TRAPDOORS_MAX} trapdoors are held, of all readers; who has not spoken for long is forgotten`, () => {
    const isTrapdoor = () => true
    const matcher = new Matcher({ match: { ...settings.match!, isTrapdoor } })
    const some = Array.from({ length: SEARCHED_MAX }, () => new Uint8Array(FIRST_BYTES))
    for (let box = 0; box < TRAPDOORS_MAX / SEARCHED_MAX; box++)
      expect(told(matcher.seek(`box${box}`, some))).toEqual([])
    expect(told(matcher.seek('more', some.slice(0, 1)))).toEqual([{ kind: 'full', trapdoors: TRAPDOORS_MAX }])
    // Said again, they count once.
    expect(told(matcher.seek('box1', some))).toEqual([])
    matcher.pass(115_000)
    matcher.seek('box1', some)
    matcher.pass(20_000)
    expect([...matcher.state.seekers.values()].map(({ box }) => box)).toEqual(['box1'])
    expect(matcher.state.searched).toBe(SEARCHED_MAX)
  })
})

it('the ideal pairing finds what the real one finds, and guesses as it does', async () => {
  for (const one of [idealPairing(), await mclEngine()]) {
    const search = searchTools(one, searchSecret(sha256(utf8('reader'))))
    const other = searchTools(one, searchSecret(sha256(utf8('other'))))
    const match = matchTools(one)
    const { point, marks } = search.mark(search.publicKey, channel, [utf8('a'), utf8('b'), utf8('a')], random)!
    expect(marks.length).toBe(2)
    const has = (trapdoor: Uint8Array, where = channel) => {
      expect([match.isTrapdoor(trapdoor), match.isPoint(point)]).toEqual([true, true])
      const mark = match.mark(where, trapdoor, point)
      return marks.some(one => one.join() === mark.join())
    }
    expect([has(search.trapdoor(utf8('a'))), has(search.trapdoor(utf8('b')))]).toEqual([true, true])
    expect([has(search.trapdoor(utf8('c'))), has(other.trapdoor(utf8('a')))]).toEqual([false, false])
    expect(has(search.trapdoor(utf8('a')), new Uint8Array(16))).toBe(false)
    expect(search.mark(new Uint8Array(96), channel, [utf8('a')], random)).toBeUndefined()
  }
})
