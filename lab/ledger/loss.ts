// What a group costs that certifies anything: a thousand burns of ten that never were, one an hour, against each limit of a link.

import { tickBytes } from '../../src/ledger/authority.ts'
import { encodeDescriptor, ledgerRules, writeTransaction } from '../../src/ledger/index.ts'
import { firstSalt } from '../../src/ledger/proof/actors.ts'
import { type Actors, ideals, linked, makeLedger, PlainLedger, signed } from '../../src/ledger/proof/index.ts'
import { type Experiment, row } from '../experiment.ts'

const FORGED = 1_000
const AMOUNT = 10n
const UNLIMITED = 1_000_000n
const HOURS = 100
const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4']

interface Limits {
  readonly cap?: bigint
  readonly rate?: bigint
  /** They forge burns of our coins, of which so many are honestly there; else of their own. */
  readonly ours?: bigint
}

/** What the honest ledger gave out for burns that never were. */
function lost({ cap = UNLIMITED, rate = 0n, ours }: Limits): number {
  const actors = ideals()
  const made = { servers: SERVERS, crashes: 1, liars: 0, balances: { alice: 100_000n } }
  const [bad, good] = ['bad', 'good'].map(
    name => new PlainLedger(actors, makeLedger(actors, { ...made, name }), ledgerRules),
  ) as [PlainLedger, PlainLedger]
  const link = (one: PlainLedger, other: PlainLedger, limits: { cap: bigint; rate: bigint }) =>
    one.must(
      linked(actors, one.descriptor, {
        number: 0,
        peer: encodeDescriptor(other.descriptor),
        ...limits,
        window: limits.rate === 0n ? 0 : HOURS,
      }),
    )
  link(good, bad, { cap, rate })
  link(bad, good, { cap: UNLIMITED, rate: 0n })
  if (ours !== undefined) good.must(burn(actors, good, bad, { sequence: 0, amount: ours, asset: good.descriptor.id }))
  const asset = ours === undefined ? bad.descriptor.id : good.descriptor.id
  let taken = 0
  for (let hour = 1; hour <= FORGED; hour++) {
    good.must(tick(actors, good, hour))
    const forged = burn(actors, bad, good, { sequence: hour, amount: AMOUNT, asset })
    // Each in a place of its own: the bad group's log is whatever it says.
    bad.append(forged)
    const evidence = bad.proof(bad.leaves.length - 1)
    if (good.submit(writeTransaction({ kind: 'mint', register: 0, evidence })) === undefined) taken += Number(AMOUNT)
  }
  return taken
}

function burn(
  actors: Actors,
  from: PlainLedger,
  into: PlainLedger,
  { sequence, amount, asset }: { sequence: number; amount: bigint; asset: Uint8Array },
): Uint8Array {
  return signed(actors, from.descriptor, 'alice', {
    kind: 'burn',
    register: 0,
    sequence,
    asset,
    to: actors.signer('mallory').publicKey,
    amount,
    until: 1_000_000,
    peer: into.descriptor.id,
    expires: 0,
  })
}

function tick(actors: Actors, { descriptor }: PlainLedger, number: number): Uint8Array {
  const signature = actors.voter(SERVERS[0]!)(firstSalt(SERVERS[0]!)).sign(tickBytes(descriptor, number))
  return writeTransaction({ kind: 'tick', number, signatures: [{ server: 0, signature }] })
}

export const lossExperiment: Experiment = {
  name: 'ledger-loss',
  title: 'What a linked group costs when all its servers lie: a thousand forged burns of ten.',
  source: 'ours; the price of the assumption added to THESIS theorem 5.3.1',
  run({ progress }) {
    const cases: readonly (readonly [string, Limits, number])[] = [
      ['their coins, no limit', {}, 10_000],
      ['their coins, 50 in 100 hours', { rate: 50n }, 500],
      ['their coins, 20 in 100 hours', { rate: 20n }, 200],
      ['their coins, cap 300', { cap: 300n }, 300],
      ['our coins coming home, 500 honestly there', { ours: 500n }, 500],
    ]
    const rows = cases.map(([what, limits, expected], place) => {
      progress(place / cases.length, what)
      return row(`${what}: lost`, lost(limits), expected, 0)
    })
    return {
      rows,
      pictures: [],
      notes: [
        'One forged burn an hour for a thousand hours, certified by all servers of the bad group. Their own coins are worth nothing by then:',
        'what is lost is what somebody gave for them. Of our coins never more comes home than went there, whatever they sign.',
      ],
    }
  },
}
