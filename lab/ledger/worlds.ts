// THESIS theorem 5.3.1: a ledger that is not given another cannot depend on it. Ours is given a certificate, which is not the
// other ledger: two worlds that show it the same bytes are one world to it.

import { sameBytes, seededRandom } from '../../src/core/index.ts'
import { encodeDescriptor, ledgerRules, writeTransaction } from '../../src/ledger/index.ts'
import {
  type Actors,
  certifiedBy,
  ideals,
  linked,
  makeLedger,
  PlainLedger,
  signed,
} from '../../src/ledger/proof/index.ts'
import { type Experiment, type Row, row } from '../experiment.ts'

const SERVERS = Array.from({ length: 7 }, (_, place) => `server-${place + 1}`)
const GROUP = { servers: SERVERS, crashes: 1, liars: 1, balances: { alice: 1_000n } }
const SEEDS = { small: 400, full: 20_000 }
const STATES = { small: 200, full: 10_000 }

/** Two ledgers of seven servers each; the second knows the first, where `links` says so. */
function pair(actors: Actors, links: boolean) {
  const [a, b] = ['a', 'b'].map(name => new PlainLedger(actors, makeLedger(actors, { ...GROUP, name }), ledgerRules))
  const tie = (one: PlainLedger, other: PlainLedger) =>
    one.must(
      linked(actors, one.descriptor, {
        number: 0,
        peer: encodeDescriptor(other.descriptor),
        cap: 1_000_000n,
        rate: 0n,
        window: 0,
      }),
    )
  tie(a!, b!)
  if (links) tie(b!, a!)
  return { a: a!, b: b! }
}

function burnOf(actors: Actors, a: PlainLedger, b: PlainLedger, sequence: number, amount = 10n): Uint8Array {
  return signed(actors, a.descriptor, 'alice', {
    kind: 'burn',
    register: 0,
    sequence,
    asset: a.descriptor.id,
    to: actors.signer('bob').publicKey,
    amount,
    until: 1_000_000,
    peer: b.descriptor.id,
    expires: 0,
  })
}

/** What the second ledger is shown, and whether it takes it, with so many liars among the servers of the first. */
function shown(burned: boolean, liars: number) {
  const actors = ideals()
  const { a, b } = pair(actors, true)
  const burn = burnOf(actors, a, b, 0)
  // With the burn in it all servers sign; without, only those that lie do.
  const signers = SERVERS.map((_, place) => place).slice(0, burned ? 6 : liars)
  if (burned) a.must(burn)
  const evidence = burned ? a.proof(a.leaves.length - 1, undefined, signers) : a.proof(0, burn, signers)
  const mint = writeTransaction({ kind: 'mint', register: 0, evidence })
  return { mint, taken: b.submit(mint) === undefined }
}

/** Whether some schedule certifies two histories of the first ledger: then one of them has a burn that the other has not. */
function forks(liars: number, seeds: number, from: number): boolean {
  const group = { servers: 7, crashes: 1, liars: 1, lying: liars }
  for (let seed = from; seed < from + seeds; seed++) if (certifiedBy(group, seed).size > 1) return true
  return false
}

export const impossibleExperiment: Experiment = {
  name: 'ledger-impossible',
  title: 'What a ledger is shown is not the other ledger: with enough liars there, a burn that never was is minted.',
  source: 'THESIS theorem 5.3.1',
  run({ scale, seed, progress }) {
    const rows: Row[] = []
    for (let liars = 0; liars <= 7; liars++) {
      progress(liars / 8, `${liars} liars`)
      const never = shown(false, liars).taken ? 1 : 0
      rows.push(row(`${liars} of 7 lie: a burn that never was valid is minted (1 = yes)`, never, liars >= 6 ? 1 : 0, 0))
      const forked = forks(liars, SEEDS[scale], seed) ? 1 : 0
      rows.push(row(`${liars} of 7 lie: a burn on a fork is minted (1 = yes)`, forked, liars >= 2 ? 1 : 0, 0))
    }
    const same = sameBytes(shown(true, 0).mint, shown(false, 6).mint) ? 1 : 0
    rows.push(row('with the burn, and with six liars and no burn: the bytes shown are the same (1 = yes)', same, 1, 0))
    return {
      rows,
      pictures: [],
      notes: [
        'n = 7, one declared liar, certificates of six. The theorem stands: the mint depends on the certificate alone.',
        `A fork is looked for in ${SEEDS[scale]} random schedules of one height, liars voting for everything and reporting anything.`,
        'What is added to the theorem is the assumption that at most b lie; ledger-loss prices its failure.',
      ],
    }
  },
}

export const noViewExperiment: Experiment = {
  name: 'ledger-no-view',
  title: 'A ledger that is not given the other one decides the same whatever the other holds.',
  source: 'THESIS theorem 5.3.1, definition 5.2.5',
  run({ scale, seed, progress }) {
    const random = seededRandom(seed, 0x1ed6)
    const states = STATES[scale]
    const answers = { unlinked: 0, shown: 0, stale: new Set<string>() }
    // The bytes of one mint, made in one state; then the same bytes in all others.
    const first = ideals()
    const { a: begun, b: before } = pair(first, true)
    begun.must(burnOf(first, begun, before, 0))
    const fixed = writeTransaction({ kind: 'mint', register: 0, evidence: begun.proof(1) })
    for (let state = 0; state < states; state++) {
      if (state % 100 === 0) progress(state / states, `${state} states`)
      const actors = ideals()
      const links = state % 2 === 0
      const { a, b } = pair(actors, links)
      const burns = 1 + random.below(5)
      for (let burn = 0; burn < burns; burn++) a.must(burnOf(actors, a, b, burn, BigInt(1 + random.below(20))))
      const mint = writeTransaction({ kind: 'mint', register: 0, evidence: a.proof(1 + random.below(burns)) })
      if (links) {
        answers.stale.add(String(pair(actors, true).b.submit(fixed) === undefined))
        if (b.submit(mint) === undefined) answers.shown++
      } else if (b.submit(mint) === undefined) answers.unlinked++
    }
    return {
      rows: [
        row('mints taken by a ledger without a link', answers.unlinked, 0, 0),
        row('answers to the same bytes: how many kinds', answers.stale.size, 1, 0),
        row('mints taken by a ledger that is shown a certificate', answers.shown, states / 2, 0),
      ],
      pictures: [],
      notes: [`${states} random states of the other ledger: one to five burns of 1 to 20.`],
    }
  },
}
