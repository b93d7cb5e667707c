// Ledgers kept by real server processes over mutual TLS, beside a database on the same machine that does the same work for one
// owner; and what the parts cost.
//
// npm run bench -- ledger [--quick]
//
// All sync what they write. 64 payments are in flight, or in one commit. Every server checks every signature.

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { connect, type Group, type Ledger, move, newAccount, verifyReceipt } from '../src/index.ts'
import { auditLedger, leafHash } from '../src/ledger/index.ts'
import { append, newTree } from '../src/ledger/merkle.ts'
import { freshLedgerCrypto, ledgerCryptoOf } from '../src/runtime/ledger.ts'
import { OWNERS, payments, postgresRate, sqliteRate } from './ledger/peers.ts'
import { processorMs } from './ledger/processor.ts'
import { coterieService } from './lock/coterie.ts'
import { median, type Print, printTable, show } from './support/figures.ts'
import { stopAll } from './support/processes.ts'

const FULL = { flightMs: 5_000, alone: 60, moves: 15, leaves: 1_000_000, payments: 4_096, receipts: 300, rounds: 3 }
const QUICK = { flightMs: 1_500, alone: 15, moves: 4, leaves: 100_000, payments: 512, receipts: 50, rounds: 1 }
type Scale = typeof FULL
const TIMEOUT = { timeout: 120_000 }
const SHAPES = { 4: { servers: 4, liars: 0, crashes: 1, lying: 0 }, 7: { servers: 7, liars: 1, crashes: 1, lying: 0 } }

type Figures = Map<string, { readonly figure: number | undefined; readonly unit: string; readonly target: string }>

export async function run(print: Print = console.log, args: readonly string[] = []) {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean', default: false } } })
  const scale = values.quick ? QUICK : FULL
  const before = loadavg()[0]!
  const figures: Figures = new Map()
  const put = (what: string, figure: number | undefined, unit: string, target = '') =>
    figures.set(what, { figure, unit, target })
  try {
    for (const servers of [4, 7] as const) await measureGroup(servers, scale, put, print)
    await measureMoves(scale, put)
    await measurePeers(scale, put, print)
    measureTree(scale, put)
  } finally {
    await stopAll()
  }
  const load = [before, loadavg()[0]!]
  print(`load of the machine ${load.map(value => value.toFixed(1)).join(' to ')}\n`)
  const rows = [...figures].map(([what, { figure, unit, target }]) => [what, show(figure), unit, target])
  printTable(print, ['', 'figure', 'unit', 'target'], rows)
  return { load, figures: Object.fromEntries(figures) }
}

type Put = (what: string, figure: number | undefined, unit: string, target?: string) => void

/** A new ledger with an account for each payment that is under way. */
async function openLedger(group: Group, name: string) {
  const accounts = Array.from({ length: OWNERS }, newAccount)
  const operator = newAccount()
  const balances = Object.fromEntries(accounts.map(({ key }) => [key, 1_000_000n]))
  const ledger = await group.createLedger(name, { balances, operators: [operator], ...TIMEOUT })
  return { ledger, accounts, operator }
}

async function measureGroup(servers: 4 | 7, scale: Scale, put: Put, print: Print): Promise<void> {
  const cluster = await coterieService(`coterie-${servers}`, SHAPES[servers]).start()
  if (cluster.address.kind !== 'coterie') throw new Error('not a group of ours')
  const group = await connect({ config: cluster.address.config, ...TIMEOUT })
  const { ledger, accounts } = await openLedger(group, 'coins')
  const pay = (from: number) =>
    ledger.transfer({ from: accounts[from]!, to: accounts[(from + 1) % OWNERS]!.key, amount: 1n }, TIMEOUT)
  await Promise.all(accounts.map((_, place) => pay(place)))
  const alone = await spans(scale.alone, () => pay(0))
  const counter = group.object<number, null, number>('counter', {
    initial: () => 0,
    apply: count => ({ state: count + 1, result: count + 1 }),
  })
  await counter.submit(null)
  const submitting = await spans(scale.alone, () => counter.submit(null))
  print(`n = ${servers}: one by one is measured`)
  const end = performance.now() + scale.flightMs
  const began = performance.now()
  const used = { client: processorMs([]), all: processorMs(cluster.pids()) }
  const done = await Promise.all(
    accounts.map(async (_, place) => {
      let made = 0
      for (; performance.now() < end; made++) await pay(place)
      return made
    }),
  )
  const made = done.reduce((sum, one) => sum + one, 0)
  const rate = made / ((performance.now() - began) / 1_000)
  const client = (processorMs([]) - used.client) / made
  const all = (processorMs(cluster.pids()) - used.all) / made
  const n = `n = ${servers}, b = ${SHAPES[servers].liars}`
  put(`transfers, ${n}, 64 in flight`, rate, '/s', servers === 4 ? '≥ 1,000' : '≥ 400')
  put(`processor time of one of them, ${n}: each server`, (all - client) / servers, 'ms')
  put(`processor time of one of them, ${n}: the client`, client, 'ms')
  put(`one transfer alone, ${n}, median`, median(alone), 'ms')
  put(`an object's submit, ${n}, median`, median(submitting), 'ms')
  put(`a transfer, in submits, ${n}`, median(alone) / median(submitting), '×', '≤ 1.8')
  if (servers === 7) await measureChecking(ledger, scale, put)
  await group.close()
  await cluster.stop()
}

async function spans(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < times; at++) {
    const began = performance.now()
    await work()
    found.push(performance.now() - began)
  }
  return found
}

/** A receipt of c = 6, and a whole log, by somebody who has seen nothing before. */
async function measureChecking(ledger: Ledger, scale: Scale, put: Put): Promise<void> {
  const receipt = await ledger.proof(0, TIMEOUT)
  const suite = freshLedgerCrypto()
  const verifying = await spans(scale.receipts, async () => verifyReceipt(receipt, ledger.descriptor, suite))
  put('verify a receipt, c = 6, median', median(verifying), 'ms', '≤ 1.5')
  const leaves: Uint8Array[] = []
  for await (const { leaf } of ledger.log(0, TIMEOUT)) leaves.push(leaf)
  const used = processorMs([])
  const { size } = await auditLedger(leaves, { descriptor: ledger.descriptor, suite: freshLedgerCrypto() })
  put('audit, by processor time', size / ((processorMs([]) - used) / 1_000), 'leaves/s', '≥ 5,000')
}

async function measureMoves(scale: Scale, put: Put): Promise<void> {
  const clusters = await Promise.all(['out', 'into'].map(name => coterieService(name, SHAPES[7]).start()))
  const groups: Group[] = []
  for (const { address } of clusters) {
    if (address.kind !== 'coterie') throw new Error('not a group of ours')
    groups.push(await connect({ config: address.config, ...TIMEOUT }))
  }
  const [out, into] = await Promise.all(groups.map((group, place) => openLedger(group, `ledger-${place}`)))
  await out!.ledger.link(into!.ledger, { operators: [out!.operator], cap: 1_000_000n }, TIMEOUT)
  await into!.ledger.link(out!.ledger, { operators: [into!.operator], cap: 1_000_000n }, TIMEOUT)
  const [from, to] = [out!.accounts[0]!, into!.accounts[0]!.key]
  const once = () => move({ out: out!.ledger, into: into!.ledger, from, to, amount: 1n, ...TIMEOUT })
  await once()
  const paying = await spans(scale.moves, () => out!.ledger.transfer({ from, to: from.key, amount: 1n }, TIMEOUT))
  const moving = await spans(scale.moves, once)
  put('move, burn to minted, two groups of 7, median', median(moving), 'ms')
  put('a move, in transfers', median(moving) / median(paying), '×', '≤ 3')
  await Promise.all(groups.map(group => group.close()))
  await Promise.all(clusters.map(cluster => cluster.stop()))
}

async function measurePeers(scale: Scale, put: Put, print: Print): Promise<void> {
  const all = payments(scale.payments)
  const used = processorMs([])
  put('SQLite (WebAssembly), 64 a commit', await sqliteRate(all, 64), '/s')
  put('processor time of one of them', (processorMs([]) - used) / all.length, 'ms')
  put('SQLite (WebAssembly), one a commit', await sqliteRate(all.slice(0, scale.payments / 8), 1), '/s')
  for (const together of [64, 1]) {
    const rate = await postgresRate(together === 1 ? all.slice(0, scale.payments / 8) : all, together)
    if (typeof rate === 'string') print(`PostgreSQL is left out: ${rate}`)
    else put(`PostgreSQL, serializable, ${together === 1 ? 'one' : together} a commit`, rate, '/s')
  }
}

function measureTree({ leaves }: Scale, put: Put): void {
  const { hash } = ledgerCryptoOf()
  const tree = newTree()
  const leaf = new Uint8Array(220)
  const used = processorMs([])
  for (let at = 0; at < leaves; at++) {
    leaf[at % 4] = at
    append(tree, leafHash(leaf, hash), hash)
  }
  put(
    `append to the tree, processor time, ${leaves.toLocaleString('en-US')} leaves`,
    ((processorMs([]) - used) * 1_000) / leaves,
    'µs',
    '≤ 8',
  )
}
