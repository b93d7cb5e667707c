// The arithmetic of slots, in every group: a ticket re-randomised, a proof of shuffle made, checked singly, and checked
// together with the others of a lap. Milliseconds of processor time a ticket, medians. A lap is as many passes as there are tickets, as in
// a round; the modular groups get a short one. Options: --tickets N (16), --groups all (or only the default).

import { randomBytes } from 'node:crypto'
import {
  type Ciphertext,
  checkLap,
  checkShuffle,
  type Group,
  insecureBareGroup,
  insecureSmallGroup,
  keyPair,
  openCiphertext,
  type ProvenPass,
  proveShuffle,
  rerandomise,
  residues2048,
  ristretto,
  ristrettoNoble,
  shuffle,
} from '../src/crypto/index.ts'
import { opensslPower } from '../test/support/modular-power.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

interface CryptoRow {
  readonly group: string
  readonly tickets: number
  readonly passes: number
  /** All in milliseconds of processor time a ticket. */
  readonly rerandomise: number
  readonly make: number
  readonly check: number
  readonly checkLap: number
}

interface Contender {
  readonly title: string
  readonly group: Group
  readonly tickets: number
  readonly passes: number
}

const LAP_ROUNDS = 5

// From a pool, as the runtime draws it: a call for each scalar costs as much as its arithmetic.
const POOL_BYTES = 65_536
let pool = new Uint8Array(0)
let taken = 0
function random(length: number): Uint8Array {
  if (taken + length > pool.length) {
    pool = new Uint8Array(randomBytes(POOL_BYTES))
    taken = 0
  }
  taken += length
  return pool.slice(taken - length, taken)
}

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<CryptoRow[]> {
  const tickets = Number(args[args.indexOf('--tickets') + 1] ?? 16) || 16
  const sodium = { title: 'ristretto255, WebAssembly', group: await ristretto(), tickets, passes: tickets }
  const others: Contender[] = [
    { title: 'ristretto255, TypeScript', group: ristrettoNoble(), tickets, passes: 4 },
    { title: 'squares, 2048 bits, OpenSSL', group: residues2048(opensslPower), tickets: 4, passes: 2 },
    { title: 'insecure, squares, 61 bits', group: insecureSmallGroup(), tickets, passes: tickets },
    { title: 'insecure, bare numbers', group: insecureBareGroup(), tickets, passes: tickets },
  ]
  const rows = [sodium, ...(args.includes('all') ? others : [])].map(measure)
  printTable(
    print,
    ['ms a ticket', 'tickets', 'passes', 're-randomise', 'make', 'check', 'check, batched'],
    rows.map(row => [
      row.group,
      String(row.tickets),
      String(row.passes),
      show(row.rerandomise),
      show(row.make),
      show(row.check),
      show(row.checkLap),
    ]),
  )
  return rows
}

// Time of the processor, not of the wall: there is nothing to wait for here but other programs.
function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const began = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(began)
  return { ms: (user + system) / 1_000, result }
}

function measure({ title, group, tickets, passes }: Contender): CryptoRow {
  const { publicKey: key } = keyPair(group, random)
  const times = { rerandomise: [] as number[], make: [] as number[], check: [] as number[], lap: [] as number[] }
  const proven: ProvenPass[] = []
  let input: readonly Ciphertext[] = Array.from({ length: tickets }, (_, place) =>
    openCiphertext(group, group.hashToElement('benchmark', Uint8Array.of(place))),
  )
  // The pass before the first is not counted: generators are made, the compiler warms up.
  for (let number = -1; number < passes; number++) {
    const list = input
    const single = timed(() => list.map(ticket => rerandomise(group, key, ticket, group.randomScalar(random))))
    const shuffled = shuffle(group, key, list, random)
    const pass = { key, input: list, output: shuffled.output, context: Uint8Array.of(number + 1) }
    const made = timed(() => proveShuffle(group, pass, shuffled.secret, random))
    const checked = timed(() => checkShuffle(group, { ...pass, proof: made.result }, random))
    if (!checked.result) throw new Error(`${title}: a proof does not hold`)
    input = shuffled.output
    if (number < 0) continue
    times.rerandomise.push(single.ms / tickets)
    times.make.push(made.ms / tickets)
    times.check.push(checked.ms / tickets)
    proven.push({ ...pass, proof: made.result })
  }
  for (let round = 0; round < LAP_ROUNDS; round++) {
    const { ms, result } = timed(() => checkLap(group, proven, random))
    if (result.length > 0) throw new Error(`${title}: a lap does not hold`)
    times.lap.push(ms / tickets / passes)
  }
  return {
    group: title,
    tickets,
    passes,
    rerandomise: median(times.rerandomise),
    make: median(times.make),
    check: median(times.check),
    checkLap: median(times.lap),
  }
}
