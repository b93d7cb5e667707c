// A server that is behind, one word at a time: whom it asks for what it missed and when, and what it takes. What others give is
// kept where it leads to what is certified, and costs one page where it does not. A liar that says at each moment that it is
// ahead, and gives nothing or rubbish, takes a second of it now and then, and no more.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../test/support/machine.ts'
import { type NodeId, sameBytes } from '../core/index.ts'
import { type Checkpoint, firstHead, headHash, noteBytes, whyNotCertified } from './checkpoint.ts'
import { encodeDescriptor } from './light.ts'
import { append, consistencyProof, leafHash, newTree, rootOf } from './merkle.ts'
import { firstDisk, firstSalt, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { brokenLedgerRules, plantedCatchingBugs } from './proof/planted.ts'
import { BATCH_MAX } from './proposal.ts'
import { ledgerRules } from './rules.ts'
import { PAGE_WAIT, passedOverFor } from './server/catching-up.ts'
import { ledgerServer } from './server/machine.ts'
import { type LedgerMessage, PAGE_BYTES_MAX } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const { suite } = actors
const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 1, balances: { alice: 100_000n } })
const { repeatEvery } = serverSettings(actors, 's1')
const PASSED_OVER = passedOverFor({ liars: 1 })

const to = actors.signer('bob').publicKey
const about = { register: 0, asset: coins.id, to, amount: 1n, until: 1_000_000, memo: 'm'.repeat(256) } as const
/** Three pages. */
const leaves = Array.from({ length: 1_400 }, (_, sequence) =>
  signed(actors, coins, 'alice', { kind: 'transfer', sequence, ...about }),
)
const tree = newTree()
for (const leaf of leaves) append(tree, leafHash(leaf, suite.hash), suite.hash)

/** The certificate of so many leaves, signed by all but one. */
function certificate(size = leaves.length, height = 9): Checkpoint {
  const root = rootOf(tree, size, suite.hash)
  const previous = headHash(coins, firstHead(suite), suite)
  const statement = { height, size, root, previous, attempt: 1, proposal: new Uint8Array(32) }
  const votes = servers.slice(1).map((name, at) => {
    return { server: at + 1, signature: actors.voter(name)(firstSalt(name)).sign(noteBytes(coins, statement)) }
  })
  return { ...statement, votes }
}
const certified = certificate()

type Fetched = LedgerMessage & { kind: 'fetched' }

/** What an honest server gives from there on. */
function page(from: number, checkpoint = certified): Fetched {
  let end = from
  let bytes = 0
  while (end < checkpoint.size && end - from < BATCH_MAX && bytes < PAGE_BYTES_MAX) bytes += leaves[end++]!.length
  return { ...cut(from, end), checkpoint, path: consistencyProof(tree, end, checkpoint.size, suite.hash) }
}

const cut = (from: number, end: number): Fetched => ({
  kind: 'fetched',
  ledger: coins.id,
  from,
  leaves: leaves.slice(from, end),
  path: consistencyProof(tree, end, leaves.length, suite.hash),
  checkpoint: certified,
})

const rubbish = (from: number): Fetched => {
  const good = page(from)
  return { ...good, leaves: good.leaves.map(leaf => new Uint8Array(leaf.length)) }
}

function behind(bug?: string) {
  const settings = serverSettings(actors, 's1', brokenLedgerRules(bug))
  const puppet = new Puppet(ledgerServer(settings), servers, firstDisk('s1'), 's1')
  puppet.start()
  puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
  const ledger = () => puppet.state.ledgers.get(coins.hex)!
  /** Whom it asks, and from where on. */
  const hear = (from: string, body: LedgerMessage) => {
    const out = puppet.hear(from, body)
    const asked = sent(out).flatMap(({ to: whom, body: said }) => (said.kind === 'fetch' ? [[whom, said.from]] : []))
    const lied = told(out).flatMap(event => (event.kind === 'lied' ? [`${event.server} ${event.what}`] : []))
    return { asked, lied }
  }
  const boast = (from: string) =>
    hear(from, { kind: 'certified', ledger: coins.id, checkpoint: certified, leaves: [] }).asked
  /** Whom it asks while time goes by. */
  const pass = (millis: number): NodeId[] =>
    sent(puppet.pass(millis)).flatMap(({ to: whom, body }) => (body.kind === 'fetch' ? [whom] : []))
  const held = () => (ledger().catching?.leaves ?? []).reduce((sum, leaf) => sum + leaf.length, 0)
  return { puppet, ledger, hear, boast, pass, held }
}

const first = page(0).leaves.length
const second = first + page(first).leaves.length

describe('a server that is behind', () => {
  it('takes page after page from one that is ahead, and then has all', () => {
    const { ledger, hear, boast } = behind()
    expect(boast('s2')).toEqual([['s2', 0]])
    expect(hear('s2', page(0)).asked).toEqual([['s2', first]])
    expect(hear('s2', page(first)).asked).toEqual([['s2', second]])
    // The others may have gone on meanwhile.
    expect(hear('s2', page(second)).asked).toEqual([['s2', leaves.length]])
    expect(ledger().head.size).toBe(leaves.length)
    expect(hear('s2', page(leaves.length)).asked).toEqual([])
    expect(ledger().catching).toBeUndefined()
  })

  it('keeps nothing of a page that does not lead to its certificate, and names who gave it, once', () => {
    const { puppet, hear, boast, held } = behind()
    for (let i = 0; i < 100; i++) {
      expect(boast('s2')).toEqual([['s2', 0]])
      const { lied } = hear('s2', rubbish(0))
      expect(lied).toEqual(i === 0 ? ['s2 gave leaves that do not lead to their certificate'] : [])
      expect(held()).toBe(0)
      puppet.pass(PASSED_OVER)
    }
  })

  it('goes on with another where the liar left off: what was shown stays', () => {
    const { ledger, hear, boast, held } = behind()
    boast('s2')
    hear('s2', page(0))
    const before = held()
    expect(hear('s2', rubbish(first)).lied).toHaveLength(1)
    expect(held()).toBe(before)
    expect(boast('s3')).toEqual([['s3', first]])
    hear('s3', page(first))
    hear('s3', page(second))
    expect(ledger().head.size).toBe(leaves.length)
  })

  it.each<[string, Fetched]>([
    ['of leaves in another order', { ...page(0), leaves: [...page(0).leaves].reverse() }],
    ['with a leaf left out', { ...page(0), leaves: page(0).leaves.slice(1) }],
    ['of more leaves than are certified', { ...cut(0, 20), checkpoint: certificate(10) }],
    ['with a path that shows another size', { ...page(0), path: page(first).path }],
  ])('refuses a page %s, and names its giver', (_what, body) => {
    const { hear, boast, held } = behind()
    boast('s2')
    expect(hear('s2', body).lied).toHaveLength(1)
    expect(held()).toBe(0)
  })

  it('takes nothing under a certificate that does not hold', () => {
    const { hear, boast, held } = behind()
    boast('s2')
    const { votes } = certified
    hear('s2', { ...page(0), checkpoint: { ...certified, votes: votes.slice(1) } })
    expect(held()).toBe(0)
  })

  it('takes nothing that it did not ask for: of another server, of another place, of another ledger', () => {
    const { hear, boast, held } = behind()
    boast('s2')
    const other = makeLedger(actors, { name: 'others', servers, crashes: 1, liars: 1, balances: {} })
    for (const [from, body] of [
      ['s3', page(0)],
      ['s2', page(first)],
      ['s2', { ...page(0), ledger: other.id }],
    ] as const)
      expect(hear(from, body)).toEqual({ asked: [], lied: [] })
    expect(held()).toBe(0)
    expect(hear('s2', page(0)).asked).toEqual([['s2', first]])
  })

  it('keeps the certificate that it looked at, whatever is said to be its votes later', () => {
    const { ledger, hear, boast } = behind()
    boast('s2')
    hear('s2', page(0))
    hear('s2', { ...page(first), checkpoint: { ...certified, height: 8, votes: [] } })
    hear('s2', { ...page(second), checkpoint: { ...certified, votes: [] } })
    expect(ledger().head).toEqual(certified)
    expect(whyNotCertified(coins, ledger().head, suite, ledgerRules)).toBeUndefined()
  })

  it('waits a second for a page, and then asks another first', () => {
    const { puppet, boast } = behind()
    expect(boast('s2')).toEqual([['s2', 0]])
    puppet.pass(PAGE_WAIT - 1)
    expect(boast('s3')).toEqual([])
    puppet.pass(1)
    // The silent one calls loudest.
    expect(boast('s2')).toEqual([])
    expect(boast('s3')).toEqual([['s3', 0]])
  })

  it('does not go leaf by leaf with one that has more', () => {
    const { hear, boast, ledger } = behind()
    boast('s2')
    expect(hear('s2', cut(0, 1))).toEqual({ asked: [], lied: [] })
    expect(boast('s2')).toEqual([])
    // The leaf is good, all the same.
    expect(boast('s3')).toEqual([['s3', 1]])
    expect(ledger().catching?.leaves).toHaveLength(1)
  })

  it('forgets what was shown when it has grown by itself', () => {
    const { puppet, ledger, hear, boast } = behind()
    const one = certificate(1, 1)
    boast('s2')
    hear('s2', page(0))
    puppet.hear('s3', { kind: 'certified', ledger: coins.id, checkpoint: one, leaves: leaves.slice(0, 1) })
    expect(ledger().head.size).toBe(1)
    hear('s2', page(first))
    expect(boast('s3')).toEqual([['s3', 1]])
    expect(ledger().catching?.leaves).toHaveLength(0)
  })
})

/** It is at height 0 here, and that server speaks of the one after the next. */
function ahead(server: number): LedgerMessage {
  const said = { server, height: 2, attempt: 2, vote: undefined, signature: new Uint8Array(64) }
  return { kind: 'report', ledger: coins.id, report: said, opened: [] }
}

describe('a server that is one height behind', () => {
  it('asks who was ahead for a whole beat, and not before: the votes are under way as a rule', () => {
    const { hear, pass } = behind()
    hear('s3', ahead(2))
    expect(pass(repeatEvery - 1)).toEqual([])
    expect(pass(1)).toEqual(['s3'])
  })

  it('also where it is said again before each beat', () => {
    const { hear, pass } = behind()
    const asked = Array.from({ length: 6 }, () => {
      hear('s3', ahead(2))
      return pass(repeatEvery / 2)
    })
    expect(asked.flat()).toContain('s3')
  })
})

const nothing: Fetched = { ...cut(0, 0), checkpoint: firstHead(suite), path: [] }

describe('who says that it is ahead and gives nothing', () => {
  it.each([
    ['says no more', PAGE_WAIT, undefined],
    ['shows an empty page', 0, nothing],
    ['shows rubbish', 0, rubbish(0)],
    ['shows less than it has', 0, cut(0, 1)],
  ])('is asked once and then passed over for a while: it %s', (_how, noticedAfter, answer) => {
    const { puppet, hear, boast } = behind()
    expect(boast('s2')).toHaveLength(1)
    if (answer !== undefined) hear('s2', answer)
    puppet.now += noticedAfter
    const noticed = puppet.now
    for (; puppet.now < noticed + PASSED_OVER; puppet.now += 100) expect(boast('s2')).toEqual([])
    puppet.now = noticed + PASSED_OVER - 1
    expect(boast('s2')).toEqual([])
    puppet.now++
    expect(boast('s2')).toHaveLength(1)
  })

  it('is not passed over where it has just given all it has', () => {
    const { hear, boast } = behind()
    boast('s2')
    for (const from of [0, first, second]) hear('s2', page(from))
    hear('s2', page(leaves.length))
    const later = { ...certified, height: 12 }
    expect(hear('s2', { kind: 'certified', ledger: coins.id, checkpoint: later, leaves: [] }).asked).toHaveLength(1)
    expect(boast('s2')).toEqual([])
  })

  it('is not passed over where only a client said so', () => {
    const { hear, boast } = behind()
    const { id: ledger } = coins
    for (let query = 1; query < 20; query++) {
      const { asked } = hear('client', { kind: 'ask', query, ledger, epoch: 7, question: { kind: 'head' } })
      expect(asked).toEqual([['s2', 0]])
      hear('s2', nothing)
    }
    expect(boast('s2')).toEqual([['s2', 0]])
  })

  it('does not keep the others from being asked, however fast it speaks', () => {
    const { puppet, boast } = behind()
    const asked: NodeId[] = []
    for (let said = 0; said < 60; said++) {
      for (const [whom] of boast('s2')) asked.push(String(whom))
      if (said % 10 === 5) for (const [whom] of boast('s3')) asked.push(String(whom))
      puppet.now += 100
    }
    expect(asked.slice(0, 2)).toEqual(['s2', 's3'])
  })

  it('nor do two that take turns, where two may lie', () => {
    const eleven = Array.from({ length: 11 }, (_, place) => `s${place + 1}`)
    const wide = makeLedger(actors, { name: 'wide', servers: eleven, crashes: 2, liars: 2, balances: {} })
    const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), eleven, firstDisk('s1'), 's1')
    puppet.start()
    puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(wide) })
    const asked = new Set<NodeId>()
    for (let said = 0; said < 200; said++) {
      // The honest one speaks at every beat, the liars just before it and all the time.
      for (const from of said % 5 === 4 ? ['s2', 's3', 's4'] : ['s2', 's3'])
        for (const { to: whom, body } of sent(
          puppet.hear(from, { kind: 'certified', ledger: wide.id, checkpoint: certified, leaves: [] }),
        ))
          if (body.kind === 'fetch') asked.add(whom)
      puppet.now += repeatEvery / 5
    }
    expect([...asked]).toContain('s4')
  })
})

describe('a server that is ahead', () => {
  it('gives servers what they lack, with what shows it, and clients nothing of the kind', () => {
    const { puppet, hear, boast } = behind()
    boast('s2')
    for (const from of [0, first, second]) hear('s2', page(from))
    const fetch = { kind: 'fetch', ledger: coins.id, from: first } as const
    const [given] = sent(puppet.hear('s3', fetch)).map(({ body }) => body as Fetched)
    expect(given).toEqual(page(first))
    expect(given!.path.length).toBeGreaterThan(0)
    expect(given!.leaves.every((leaf, at) => sameBytes(leaf, leaves[first + at]!))).toBe(true)
    expect(sent(puppet.hear('client#1', fetch))).toEqual([])
  })
})

/** Whether what one server gives takes no more than a page. */
const STORIES: Readonly<Record<string, (bug?: string) => boolean>> = {
  'pages-unchecked': bug => {
    const { hear, boast, held } = behind(bug)
    boast('s2')
    hear('s2', rubbish(0))
    hear('s2', rubbish(first))
    return held() === 0
  },
}

describe('planted bugs of catching up', () => {
  it('none is forgotten', () => expect(Object.keys(STORIES)).toEqual(Object.keys(plantedCatchingBugs)))
  it.each(Object.entries(STORIES))('%s', (bug, story) => expect([story(), story(bug)]).toEqual([true, false]))
})
