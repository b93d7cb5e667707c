// coterie ledger without servers: its help, wrong usage, keys in files, receipts verified and logs audited from files. With
// servers it is typed in test/e2e, line by line as the help prints it.

import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import {
  base64,
  encodeDescriptor,
  encodeReceipt,
  ledgerRules,
  readTransaction,
  signedNote,
} from '../../ledger/index.ts'
import { type Actors, ideals } from '../../ledger/proof/actors.ts'
import { Stage } from '../../ledger/proof/stories.ts'
import type { Evidence } from '../../ledger/transactions.ts'
import { opensslSigner } from '../../runtime/certificates/signatures.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { initGroup } from '../../runtime/setup/group.ts'
import { describeTransaction, whole } from '../ledger/words.ts'
import { ledgerCommand } from './ledger.ts'

const VERBS =
  'key create status transfer balance account log watch checkpoint proof verify audit link move burn mint void refund submit freeze'
let dir: string
const at = (name: string) => join(dir, name)
const run = (...line: string[]) => runCommand([ledgerCommand()], ['ledger', ...line])

/** Accounts and servers with keys as they are in life. */
function real(): Actors {
  const seed = (name: string) => new Uint8Array(createHash('sha256').update(name).digest())
  const signer = (name: string) => opensslSigner(seed(name))
  return { ...ideals(), suite: ledgerCryptoOf(), signer, voter: server => salt => signer(`${server} ${String(salt)}`) }
}
const LEAVES = 40
const stage = new Stage(ledgerRules, real())

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-ledger-command-'))
  while (stage.a.leaves.length < LEAVES) stage.a.must(stage.pay(stage.a, 'alice', 1n))
  const { suite } = stage.actors
  const { descriptor, leaves } = stage.a
  await writeFile(at('coins.ledger'), encodeDescriptor(descriptor))
  await writeFile(at('other.ledger'), encodeDescriptor(stage.b.descriptor))
  await writeFile(at('coins.checkpoint'), signedNote(descriptor, stage.a.certify(), suite))
  await writeFile(at('coins.log'), leaves.map(leaf => `${base64(leaf)}\n`).join(''))
  const { kind: _, ...receipt } = stage.a.proof(5) as Evidence & { kind: 'proof' }
  await writeFile(at('five.receipt'), encodeReceipt(receipt))
  const fork = new Stage(ledgerRules, stage.actors)
  while (fork.a.leaves.length < LEAVES) fork.a.must(fork.pay(fork.a, 'alice', 2n))
  await writeFile(at('fork.checkpoint'), signedNote(descriptor, fork.a.certify(), suite))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('help', () => {
  it.each(VERBS.split(' '))('%s has an example and its exit codes', async verb => {
    const { out, code } = await run(verb, '--help')
    expect(code).toBe(0)
    expect(out).toContain(`Example:\n  $ coterie ledger ${verb} `)
    expect(out).toMatch(/Exit codes: .*2 wrong usage/s)
  })
  it('no option takes a secret', async () => {
    for (const verb of VERBS.split(' ')) expect((await run(verb, '--help')).out).not.toMatch(/--(secret|key) </)
  })
})

describe('wrong usage ends with 2 and a sentence', () => {
  it.each([
    [
      'an amount with a point',
      ['transfer', 'a', '--from', 'x', '--to', 'y', '--amount', '2.5'],
      /whole number of units/,
    ],
    ['a negative amount', ['transfer', 'a', '--from', 'x', '--to', 'y', '--amount=-2'], /whole number of units/],
    ['an amount too large', ['burn', 'a', '--from', 'x', '--amount', '9223372036854775808'], /2\^63 - 1/],
    ['no payer', ['transfer', 'a', '--to', 'y', '--amount', '2'], /required option '--from <file>'/],
    ['a balance of nobody', ['create', 'a', '--balance', '1000'], /KEY=AMOUNT/],
    ['a link without a cap', ['link', 'a', '--peer', 'x', '--operator', 'y'], /required option '--cap/],
    ['an index that is none', ['proof', 'a', 'first'], /whole number/],
    ['a receipt of what', ['verify', 'x'], /required option '--descriptor/],
    ['a move of nothing', ['move', 'a', '--into', 'b', '--from', 'x'], /--to and --amount/],
    [
      'a move there and back',
      ['move', 'a', '--into', 'b', '--from', 'x', '--resume', 'y', '--refund', 'z'],
      /not both/,
    ],
  ])('%s', async (_, line, sentence) => {
    const { err, code } = await run(...line)
    expect(err).toMatch(sentence)
    expect(code).toBe(2)
  })
})

describe('key', () => {
  it('goes to a file that only its owner may read, and is shown by its public half alone', async () => {
    const made = await run('key', at('alice.key'))
    expect(made.out).toMatch(/^[0-9a-f]{64}\n$/)
    expect((await stat(at('alice.key'))).mode & 0o777).toBe(0o600)
    const secret = await readFile(at('alice.key'), 'utf8')
    expect(secret).not.toBe(made.out)
    expect((await run('key', at('alice.key'), '--show')).out).toBe(made.out)
    const again = await run('key', at('alice.key'))
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toMatch(/already there/)
    expect(await readFile(at('alice.key'), 'utf8')).toBe(secret)
  })
  it('in a file that others may read, or of something else, is refused', async () => {
    await writeFile(at('open.key'), `${'ab'.repeat(32)}\n`)
    await chmod(at('open.key'), 0o640)
    expect((await run('key', at('open.key'), '--show')).err).toMatch(/may be read by others \(mode 640\).*chmod 600/)
    await writeFile(at('bad.key'), 'hello', { mode: 0o600 })
    expect((await run('key', at('bad.key'), '--show')).err).toMatch(/holds no account's secret/)
  })
})

it('an amount above ledger.yesAbove of the config takes --yes, before any server is asked', async () => {
  const made = await initGroup({ dir: at('group'), servers: 4, liars: 0, clients: ['till'], basePort: 1 })
  const config = made.clientFolders[0]!
  const file = join(config, 'coterie.toml')
  await writeFile(file, `${await readFile(file, 'utf8')}\n[ledger]\nyesAbove = 100\n`)
  await run('key', at('payer.key'))
  const line = [
    'transfer',
    'coins',
    '--config',
    config,
    '--from',
    at('payer.key'),
    '--to',
    at('payer.key'),
    '--timeout',
    '1ms',
  ]
  const guarded = await run(...line, '--amount', '101')
  expect(guarded).toMatchObject({ code: 2 })
  expect(guarded.err).toMatch(/amount is 101, .*coterie\.toml asks above 100 \(ledger\.yesAbove\): say --yes/)
  // Past the guard, what is missing is servers.
  for (const more of [
    ['--amount', '100'],
    ['--amount', '101', '--yes'],
  ])
    expect((await run(...line, ...more)).err).not.toMatch(/yesAbove/)
  await writeFile(file, `${(await readFile(file, 'utf8')).replace('yesAbove = 100', 'yesAbove = -1')}`)
  expect((await run(...line, '--amount', '1')).err).toMatch(/ledger\.yesAbove is -1; it must be/)
}, 30_000)

describe('verify', () => {
  it('shows what a receipt is of', async () => {
    const { out, code } = await run('verify', at('five.receipt'), '--descriptor', at('coins.ledger'))
    expect(out).toMatch(/it holds: transfer 1 from .* to .*\n {2}leaf 5 of 40 of a, signed by 4 servers/)
    expect(code).toBe(0)
    const json = await run('verify', at('five.receipt'), '--descriptor', at('coins.ledger'), '--json')
    expect(JSON.parse(json.out)).toMatchObject({
      holds: true,
      index: 5,
      transaction: { kind: 'transfer', amount: '1' },
    })
  })
  it('ends with 1 where it does not hold', async () => {
    const turned = new Uint8Array(await readFile(at('five.receipt')))
    turned[100]! ^= 4
    await writeFile(at('turned.receipt'), turned)
    for (const [file, ledger] of [
      ['turned.receipt', 'coins.ledger'],
      ['five.receipt', 'other.ledger'],
      ['coins.log', 'coins.ledger'],
      ['none', 'coins.ledger'],
    ]) {
      const { err, code } = await run('verify', at(file!), '--descriptor', at(ledger!))
      expect({ file, code }).toEqual({ file, code: 1 })
      expect(err).toMatch(/does not hold|no receipt|no such file/)
    }
  })
})

it('a link is shown with the ledger that it is to', () => {
  const read = readTransaction(stage.link(stage.a, stage.b, 1))
  expect(read.ok && describeTransaction(read.value, stage.a.descriptor, whole)).toBe(
    `link 1 to ${stage.b.descriptor.hex}, cap 50`,
  )
})

describe('audit of a file', () => {
  const how = () => ['--descriptor', at('coins.ledger'), '--checkpoint', at('coins.checkpoint')]
  it('finds nothing wrong with what is right', async () => {
    const { out, code } = await run('audit', at('coins.log'), ...how(), '--from', at('coins.checkpoint'))
    expect(out).toMatch(/^sound: 40 leaves of a/)
    expect(code).toBe(0)
  })
  it('ends with 1 and the first wrong leaf, whichever bit of the file is turned', async () => {
    const log = await readFile(at('coins.log'))
    for (let place = 3; place < log.length; place += 97) {
      const turned = Buffer.from(log)
      turned[place]! ^= 1 << (place % 8)
      await writeFile(at('turned.log'), turned)
      const { err, code } = await run('audit', at('turned.log'), ...how())
      expect({ place, code }).toEqual({ place, code: 1 })
      const line = log.subarray(0, place).filter(byte => byte === 10).length
      // An end of line that is turned joins two leaves: of these the first is wrong.
      expect(err).toMatch(new RegExp(`leaf ${line} is wrong`))
    }
  }, 60_000)
  it('ends with 1 where the log is cut, goes on from another history, or two were signed', async () => {
    const lines = (await readFile(at('coins.log'), 'utf8')).split('\n')
    await writeFile(at('cut.log'), `${lines.slice(0, 30).join('\n')}\n`)
    expect(await run('audit', at('cut.log'), ...how())).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ends at 30 leaves/),
    })
    const forked = await run('audit', at('coins.log'), ...how(), '--from', at('fork.checkpoint'))
    expect(forked).toMatchObject({ code: 1 })
    expect(forked.err).toMatch(/two histories.*server-1, server-2, server-3, server-4 signed both/)
    await writeFile(
      at('short.checkpoint'),
      (await readFile(at('coins.checkpoint'), 'utf8')).replace(/(— .*\n){2}$/, ''),
    )
    const short = await run(
      'audit',
      at('coins.log'),
      '--descriptor',
      at('coins.ledger'),
      '--checkpoint',
      at('short.checkpoint'),
    )
    expect(short.err).toMatch(/2 servers signed the checkpoint, and it takes 3/)
  })
  it('takes a description and a checkpoint', async () => {
    expect(await run('audit', at('coins.log'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/takes --descriptor/),
    })
  })
})
