// Servers that lie about ledgers, knowing the words and holding their own voting key; and clients that do anything.

import { type AnyProtocol, encode, type NodeId, type Protocol, timers } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import { noteBytes, type Statement } from '../checkpoint.ts'
import { type Descriptor, genesisCodec } from '../genesis.ts'
import { proposalHash, reportBytes } from '../proposal.ts'
import type { LedgerScene, LedgerServerState } from '../server/state.ts'
import { tryLeaves } from '../server/voter.ts'
import type { LedgerServerSettings } from '../settings.ts'
import { writeTransaction } from '../transactions.ts'
import type { LedgerMessage } from '../wire.ts'
import { type Actors, signed } from './actors.ts'

type Settings = (server: NodeId) => LedgerServerSettings
type Send = (to: NodeId, body: LedgerMessage) => void

/** An honest server that besides says what it likes after each message. */
function besides(
  name: string,
  settings: Settings,
  lie: (scene: LedgerScene, heard: LedgerMessage, send: Send) => void,
): Liar {
  return {
    name,
    corrupt: honest => ({
      ...honest,
      name: `${honest.name}, ${name}`,
      check: () => {},
      step(state: LedgerServerState, input, turn) {
        honest.step(state, input, turn)
        if (input.kind !== 'message' || !('ledger' in input.body)) return
        const ledger = [...state.ledgers.values()].find(one => sameId(one.descriptor, input.body.ledger))
        if (ledger === undefined || ledger.place < 0) return
        const scene = { state, settings: settings(state.self), turn, ledger } as LedgerScene
        lie(scene, input.body, (to, body) => turn.do({ kind: 'send', to, body }))
      },
    }),
  }
}

function sameId({ id }: Descriptor, other: Uint8Array): boolean {
  return id.every((byte, place) => byte === other[place])
}

const others = ({ ledger }: LedgerScene) =>
  [...ledger.places.keys()].filter(name => name !== ledger.keepers.servers[ledger.place]?.name)

function voter({ ledger, settings }: LedgerScene) {
  return settings.voter(ledger.keepers.servers[ledger.place]!.salt)
}

/** Votes for everything that anybody proposes, in every attempt, whatever it promised. */
function voteFor(
  scene: LedgerScene,
  heard: LedgerMessage & { kind: 'propose' },
  send: Send,
  to: readonly NodeId[],
): void {
  const { ledger, settings } = scene
  if (heard.height !== ledger.head.height + 1) return
  const result = tryLeaves(scene, heard.leaves)
  if (result === undefined) return
  const { height, attempt, leaves, reports } = heard
  const proposal = proposalHash(ledger.descriptor, { height, attempt, leaves, reports }, settings.suite)
  const statement: Statement = { height, ...result, previous: ledger.previous, attempt, proposal }
  const signature = voter(scene).sign(noteBytes(ledger.descriptor, statement))
  for (const server of to) send(server, { kind: 'vote', ledger: ledger.descriptor.id, ...statement, signature })
}

/** Says that it never voted, for the next attempts. */
function denyVotes(scene: LedgerScene, attempt: number, send: Send): void {
  const { ledger } = scene
  for (const next of [attempt + 1, attempt + 2]) {
    const said = { server: ledger.place, height: ledger.head.height + 1, attempt: next, vote: undefined }
    const report = { ...said, signature: voter(scene).sign(reportBytes(ledger.descriptor, said)) }
    for (const to of others(scene)) send(to, { kind: 'report', ledger: ledger.descriptor.id, report, opened: [] })
  }
}

const voteAll = (settings: Settings): Liar =>
  besides('votes for anything', settings, (scene, heard, send) => {
    if (heard.kind !== 'propose') return
    voteFor(scene, heard, send, others(scene))
    denyVotes(scene, heard.attempt, send)
  })

/** Proposes one thing to some and another to others, and votes for both. */
const forks = (settings: Settings): Liar =>
  besides('forks', settings, (scene, heard, send) => {
    if (heard.kind !== 'submit' && heard.kind !== 'report') return
    const { ledger } = scene
    const height = ledger.head.height + 1
    const waiting = [...ledger.pool.entries.values()].filter(entry => entry.ready).map(entry => entry.leaf)
    const { attempt, opened } = ledger.round
    for (const [place, to] of others(scene).entries()) {
      const leaves = waiting.length === 0 ? [] : [waiting[place % Math.min(2, waiting.length)]!]
      if (leaves.length === 0) continue
      const body = {
        kind: 'propose' as const,
        ledger: ledger.descriptor.id,
        height,
        attempt,
        leaves,
        reports: attempt === 1 ? [] : opened,
      }
      send(to, body)
      voteFor(scene, body, send, [to])
    }
  })

/** Proposes what nobody signed. */
const rubbish = (settings: Settings): Liar =>
  besides('proposes rubbish', settings, (scene, heard, send) => {
    if (heard.kind !== 'submit') return
    const { ledger } = scene
    const [account] = ledger.book.registers[0]!.accounts.keys()
    const from = Uint8Array.from(account!.match(/../g)!, pair => Number.parseInt(pair, 16))
    const leaf = writeTransaction({
      kind: 'transfer',
      register: 0,
      from,
      sequence: ledger.book.registers[0]!.accounts.get(account!)!.next,
      asset: ledger.descriptor.id,
      to: voter(scene).publicKey,
      amount: 1n,
      until: 2 ** 30,
      memo: '',
      signature: new Uint8Array(64),
    })
    const height = ledger.head.height + 1
    for (const to of others(scene))
      send(to, { kind: 'propose', ledger: ledger.descriptor.id, height, attempt: 1, leaves: [leaf], reports: [] })
  })

/** Gives nobody what it has: no proposals, no pages, no receipts. */
const withholds: Liar = twisting('withholds', (send, turn) => {
  if (!['propose', 'paged', 'fetched', 'receipt', 'receipts', 'certified', 'genesis'].includes(String(send.body.kind)))
    turn.do(send as never)
})

/** Answers clients with what it first knew. */
function answersOld(): Liar {
  const first = new Map<string, Record<string, unknown>>()
  return twisting('answers old', (send, turn) => {
    const kind = String(send.body.kind)
    if (kind !== 'answered' && kind !== 'compared' && kind !== 'recalled') return turn.do(send as never)
    const old = first.get(kind) ?? send.body
    first.set(kind, old)
    const query = 'query' in send.body ? { query: send.body.query } : {}
    turn.do({ ...send, body: { ...old, ...query, voted: 0 } } as never)
  })
}

/** Says at each word that it is ahead, and that it voted in heights that are far away; who follows gets these pages. */
function boasting(name: string, settings: Settings, paged: (leaves: Uint8Array[]) => Uint8Array[] | undefined): Liar {
  const ahead = besides(name, settings, (scene, _heard, send) => {
    const { ledger } = scene
    const checkpoint = { ...ledger.head, height: ledger.head.height + 5 }
    for (const to of others(scene))
      send(to, { kind: 'certified', ledger: ledger.descriptor.id, checkpoint, leaves: [] })
  })
  const voted = twisting(name, (send, turn) => {
    const { kind, leaves } = send.body
    if (kind === 'answered' || kind === 'recalled')
      return turn.do({ ...send, body: { ...send.body, voted: 1_000_000 } } as never)
    if (kind !== 'fetched') return turn.do(send as never)
    const given = paged(leaves as Uint8Array[])
    if (given !== undefined) turn.do({ ...send, body: { ...send.body, leaves: given } } as never)
  })
  return { name, corrupt: honest => ahead.corrupt(voted.corrupt(honest)) }
}

/** And gives nothing. */
const boasts = (settings: Settings): Liar => boasting('boasts', settings, () => undefined)

/** And gives rubbish, as much as it was asked for. */
const pagesRubbish = (settings: Settings): Liar =>
  boasting('gives rubbish', settings, leaves => leaves.map(leaf => new Uint8Array(leaf.length)))

/** Fresh ones for each run: some remember. */
export function ledgerLiars(settings: Settings): readonly Liar[] {
  return [
    voteAll(settings),
    forks(settings),
    rubbish(settings),
    withholds,
    answersOld(),
    boasts(settings),
    pagesRubbish(settings),
    ...generalLiars(),
  ]
}

const liarTimers = timers('lie')
const LIE_EVERY = 120
/** Once all is healed, for as long as runs wait for progress: what it does then is what it did before, and takes as long. */
const TIRED_AT = 14_000
const TIRED_EVERY = 1_500

/** A client that does anything: spends twice at different servers, sends rubbish, speaks as servers do, takes names. */
export function lyingClient(actors: Actors, ledgers: readonly Descriptor[], owner: string): AnyProtocol {
  const machine: Protocol<{ servers: readonly NodeId[]; round: number }, LedgerMessage, never, never> = {
    name: 'ledger client, lying',
    init: (_self, servers) => ({ servers, round: 0 }),
    step(state, input, turn) {
      if (input.kind === 'start') return liarTimers.set(turn, 'lie', LIE_EVERY)
      if (input.kind !== 'timer') return
      state.round++
      const ledger = ledgers[turn.below(ledgers.length)]!
      const about = { ledger: ledger.id, query: state.round }
      const twice = [0, 1].map(victim => spentTwice(actors, ledger, { owner, victim, round: state.round }))
      for (const [place, to] of state.servers.entries()) {
        const send = (body: LedgerMessage) => turn.do({ kind: 'send', to, body })
        const leaf = twice[place % 2]!
        send({ kind: 'submit', ...about, leaf, receipt: true })
        const garbage = turn.bytes(1 + turn.below(200))
        send({ kind: 'submit', ...about, leaf: garbage, receipt: true })
        if (state.round % 8 === 0)
          send({ kind: 'propose', ledger: ledger.id, height: 1, attempt: 1, leaves: [leaf], reports: [] })
        if (state.round % 8 === 1) {
          const zero = new Uint8Array(32)
          const statement = { height: 1, size: 1, root: zero, previous: zero, attempt: 10_000, proposal: zero }
          send({ kind: 'vote', ledger: ledger.id, ...statement, signature: new Uint8Array(64) })
        }
        if (state.round % 8 === 2) {
          const genesis = encode(genesisCodec, { ...ledger.genesis, name: `mine-${state.round % 3}` })
          send({ kind: 'create', query: state.round, genesis })
        }
      }
      liarTimers.set(turn, 'lie', turn.now < TIRED_AT ? LIE_EVERY : TIRED_EVERY)
    },
  }
  return machine
}

/** One sequence of the liar's account, spent to one victim or to the other. */
function spentTwice(
  actors: Actors,
  ledger: Descriptor,
  { owner, victim, round }: { readonly owner: string; readonly victim: number; readonly round: number },
): Uint8Array {
  return signed(actors, ledger, owner, {
    kind: 'transfer',
    register: 0,
    sequence: Math.floor(round / 4),
    asset: ledger.id,
    to: actors.signer(`victim ${victim}`).publicKey,
    amount: 1n,
    until: 2 ** 30,
    memo: '',
  })
}
