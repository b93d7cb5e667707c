// Channels in which every reader has its own seal (protocols/secret-events 7, 8): who reads, who does not, what is asked of the
// matcher, and where it ends.

import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { seededBytes, utf8 } from '../../../../../test/support/crypto.ts'
import { Puppet, sent, told } from '../../../../../test/support/machine.ts'
import type { Effect } from '../../../../core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../../../crypto/index.ts'
import { idealPairing } from '../../../../crypto/peks/index.ts'
import { parseFilter } from '../../../filter.ts'
import type { SecretMode } from '../../keys.ts'
import { APART_READERS_MAX, MARKED_BATCH_MAX, MARKS_MAX, SEARCHED_MAX, TRAPDOORS_MADE_MAX } from '../../limits.ts'
import { decodeRecord, type EpochRecord, encodeRecord, issueRecord, NO_RECORD, whyNotApart } from '../../record.ts'
import { searchSecret, searchTools } from '../../searching.ts'
import { type SecretSettings, secretBasics } from '../../settings.ts'
import { type CarrierMessage, decodeFrame, encodeFrame, type Frame } from '../../wire.ts'
import { secretMember } from '../machine.ts'
import type { MemberCommand, MemberEvent, MemberState } from '../state.ts'

const WALL = 1_000_000
const channel = { group: 'shop', name: 'prices', id: new Uint8Array(16).fill(7) }
const signatures = idealSignatures()
const sealings = idealSealing()
const ciphers = idealCiphers()
const pairing = idealPairing()
const toolsOf = (name: string) => searchTools(pairing, searchSecret(sha256(utf8(name))))
let draws = 0

function settingsOf(name: string): SecretSettings {
  return {
    ...secretBasics,
    channel,
    name,
    keeper: signatures.signer('keeper').publicKey,
    signer: signatures.signer(name),
    signatures,
    sealing: sealings(name),
    search: toolsOf(name),
    ciphers,
    hash: sha256,
    wall: now => WALL + now,
  }
}

const partyOf = (name: string) => ({
  name,
  reads: name.startsWith('reader'),
  writes: name.startsWith('writer'),
  signingKey: signatures.signer(name).publicKey,
  sealingKey: sealings(name).publicKey,
  searchKey: name.startsWith('reader') ? toolsOf(name).publicKey : undefined,
})
const all = ['writer-1', 'writer-2', 'reader-1', 'reader-2'].map(partyOf)

function recordOf(mode: SecretMode): EpochRecord {
  const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random: seededBytes(1) }
  const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
  const times = { issued: WALL, from: WALL, until: WALL + 60_000 }
  return issueRecord(keeper, { channel, number: 1, before: NO_RECORD, mode, searchable, ...times }, all)
}

type Out = Effect<CarrierMessage, MemberEvent>[]

class Node extends Puppet<MemberState, CarrierMessage, MemberCommand, MemberEvent> {
  constructor(name: string, mode: SecretMode, settings: SecretSettings = settingsOf(name)) {
    const member = secretMember(settings)
    const bytes = seededBytes(++draws)
    // Fresh chance, of whatever length is asked for.
    const step: typeof member.step = (state, input, turn) =>
      member.step(state, input, Object.create(turn, { bytes: { value: bytes } }))
    super({ ...member, step }, ['broker'], undefined, name)
    this.start()
    this.command({ kind: 'record', record: encodeRecord(recordOf(mode)), share: false })
  }

  publish(id: number, symbol: string | string[]): Out {
    const content = { attributes: { symbol }, payload: utf8(String(id)), time: 0, retained: false, expires: 0 }
    return this.command({ kind: 'publish', id, content })
  }

  listen(symbols: readonly string[], id = 1): Out {
    return this.command({ kind: 'subscribe', id, filter: parseFilter({ symbol: { in: symbols } }) })
  }

  hearFrames(frames: readonly Frame[]): Out {
    return frames.flatMap(frame => this.hear('broker', { kind: 'came', name: 'x', body: encodeFrame(frame) }))
  }
}

function framesOf(out: Out): Frame[] {
  return sent(out).flatMap(({ body }) => {
    const frame = body.kind === 'send' ? decodeFrame(body.body) : undefined
    return frame?.ok ? [frame.value] : []
  })
}

const handed = (out: Out) => told(out).flatMap(event => (event.kind === 'handed' ? [event.life.author] : []))
const dropped = (out: Out) => told(out).flatMap(event => (event.kind === 'dropped' ? [event.why] : []))
const refused = (out: Out) => told(out).flatMap(event => (event.kind === 'refused' ? [event.why] : []))
const bodies = (out: Out) => framesOf(out).filter(({ kind }) => kind === 'event' || kind === 'marked')

describe.each(['paired', 'peks'] as const)('%s', mode => {
  const ready = () => {
    const nodes = all.map(({ name }) => new Node(name, mode))
    const [writer, other, reader, second] = nodes as [Node, Node, Node, Node]
    reader.listen(['A'])
    second.listen(['A'])
    return { writer, other, reader, second }
  }

  it('each reader opens its own copy, once, and nobody opens another’s', () => {
    const { writer, other, reader, second } = ready()
    const out = writer.publish(1, 'A')
    const copies = bodies(out)
    expect(copies.length).toBe(2)
    expect(reader.state.seen.size).toBe(0)
    expect(handed(reader.hearFrames(copies))).toEqual(['writer-1'])
    expect(handed(reader.hearFrames(copies))).toEqual([])
    expect(handed(second.hearFrames([copies[0]!]))).toEqual([])
    expect(handed(second.hearFrames([copies[1]!]))).toEqual(['writer-1'])
    for (const one of [other, writer]) expect(handed(one.hearFrames(copies))).toEqual([])
  })

  it('totals are for each reader too: what is missing shows', () => {
    const { writer, reader, second } = ready()
    writer.publish(1, 'A')
    const totals = framesOf(writer.pass(1_000)).filter(({ kind }) => kind === 'told')
    expect(totals.length).toBe(2)
    expect(dropped(reader.hearFrames(totals))).toEqual([])
    const missed = told(reader.pass(10_000)).filter(({ kind }) => kind === 'missed')
    expect(missed).toEqual([{ kind: 'missed', author: 'writer-1', epoch: 1, from: 1, to: 1 }])
    second.hearFrames([totals[0]!])
    expect(told(second.pass(10_000)).filter(({ kind }) => kind === 'missed')).toEqual([])
  })

  it('a bit that is turned anywhere opens nothing', () => {
    const { writer, reader } = ready()
    const [copy] = bodies(writer.publish(1, 'A'))
    const body = encodeFrame(copy!)
    let opened = 0
    for (let place = 0; place < body.length; place++) {
      const turned = body.slice()
      turned[place]! ^= 1
      opened += handed(reader.hear('broker', { kind: 'came', name: 'x', body: turned })).length
    }
    expect(opened).toBe(0)
    expect(handed(reader.hearFrames([copy!]))).toEqual(['writer-1'])
  })
})

describe('paired', () => {
  it('a reader listens on one name for each writer and keyword, and leaves them', () => {
    const reader = new Node('reader-1', 'paired')
    const names = (out: Out, kind: string) =>
      new Set(sent(out).flatMap(({ body }) => (body.kind === kind ? [body.name] : [])))
    const listened = names(reader.listen(['A', 'B']), 'listen')
    expect(listened.size).toBe(4)
    const second = names(new Node('reader-2', 'paired').listen(['A', 'B']), 'listen')
    expect([...second].filter(name => listened.has(name))).toEqual([])
    expect(names(reader.command({ kind: 'unsubscribe', id: 1 }), 'leave')).toEqual(listened)
  })
})

describe('peks', () => {
  it('is closed without pairings, to writers and readers', () => {
    for (const name of ['writer-1', 'reader-1']) {
      const node = new Node(name, 'peks', { ...settingsOf(name), search: undefined })
      expect(refused([...node.publish(1, 'A'), ...node.listen(['A'], 2)]).length).toBe(2)
    }
  })

  it(`an event has at most ${MARKS_MAX} keywords, each marked once, and ${MARKED_BATCH_MAX} are marked at once`, () => {
    const writer = new Node('writer-1', 'peks')
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)
    const [one] = bodies(writer.publish(1, words(MARKS_MAX)))
    expect(one?.kind === 'marked' && new Set(one.marks.map(mark => mark.join())).size).toBe(MARKS_MAX)
    for (let id = 2; id < 12; id++) writer.publish(id, `w${id}`)
    expect(bodies(writer.pass(secretBasics.batchEvery)).length).toBe(2 * MARKED_BATCH_MAX)
    expect(bodies(writer.pass(100)).length).toBe(2 * (10 - MARKED_BATCH_MAX))
  })

  it(`trapdoors are made ${TRAPDOORS_MADE_MAX} at a time and told together; more than ${SEARCHED_MAX} are refused`, () => {
    const reader = new Node('reader-1', 'peks')
    const symbols = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `s${from + at}`)
    const searches = (out: Out) =>
      framesOf(out).flatMap(frame => (frame.kind === 'search' ? [frame.trapdoors.length] : []))
    expect(searches(reader.listen(symbols(TRAPDOORS_MADE_MAX)))).toEqual([TRAPDOORS_MADE_MAX])
    expect(searches(reader.listen(symbols(2 * TRAPDOORS_MADE_MAX + 1), 2))).toEqual([])
    expect(searches(reader.pass(10))).toEqual([2 * TRAPDOORS_MADE_MAX + 1])
    // Said again, for a matcher that was started again.
    expect(searches(reader.pass(31_000))).toEqual([2 * TRAPDOORS_MADE_MAX + 1])
    const most = symbols(SEARCHED_MAX - 2 * TRAPDOORS_MADE_MAX, 1_000)
    expect(refused(reader.listen(most, 9))).toEqual([
      `all subscriptions listen on ${SEARCHED_MAX + 1} keywords: this channel allows ${SEARCHED_MAX}.`,
    ])
    expect(refused(reader.listen(most.slice(1), 10))).toEqual([])
    expect(searches(reader.pass(100))).toEqual([SEARCHED_MAX])
  })

  it('an event for one reader cannot be passed off as another’s, nor under other marks', () => {
    const writer = new Node('writer-1', 'peks')
    const reader = new Node('reader-1', 'peks')
    reader.listen(['A', 'B'])
    const [first] = bodies(writer.publish(1, 'A')) as [Frame & { kind: 'marked' }]
    const [, second] = bodies(writer.pass(10).concat(writer.publish(2, 'B'))) as (Frame & { kind: 'marked' })[]
    for (const change of [
      { marks: second!.marks },
      { point: second!.point },
      { key: second!.key },
      { reader: second!.reader },
    ])
      expect(handed(reader.hearFrames([{ ...first, ...change }]))).toEqual([])
    expect(handed(reader.hearFrames([first]))).toEqual(['writer-1'])
  })
})

describe('records of such channels', () => {
  it('are refused with a reader without a search key, and with more readers than an event is sealed for', () => {
    expect(whyNotApart('peks', all)).toBeUndefined()
    expect(whyNotApart('peks', [{ ...all[2]!, searchKey: undefined }])).toMatch('reader-1 has no search key')
    const crowd = Array.from({ length: APART_READERS_MAX + 1 }, (_, at) => partyOf(`reader-${at}`))
    for (const mode of ['paired', 'peks'] as const) {
      expect(whyNotApart(mode, crowd.slice(1))).toBeUndefined()
      expect(whyNotApart(mode, crowd)).toMatch('65, and may have 64')
    }
    expect(whyNotApart('tagged', crowd)).toBeUndefined()
    const record = recordOf('peks')
    expect(decodeRecord(encodeRecord(record))).toEqual({ ok: true, value: record })
    const bad = { ...record, parties: record.parties.map(one => ({ ...one, searchKey: new Uint8Array(3) })) }
    expect(decodeRecord(encodeRecord(bad))).toMatchObject({ ok: false })
  })
})
