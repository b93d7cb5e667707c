// coterie ledger and its files: what it writes is looked at before anything is done of which the file is to tell; what it reads is
// bounded; what is said in vain is refused. No server is asked here: where one is, the sentence would be another.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { type LedgerReceipt, ledgerRules, readTransaction } from '../../ledger/index.ts'
import { Stage } from '../../ledger/proof/stories.ts'
import { initGroup } from '../../runtime/setup/group.ts'
import { appended, keepLeaf } from '../ledger/common.ts'
import { readLog } from '../ledger/files.ts'
import { describeTransaction, whole } from '../ledger/words.ts'
import { newCommand } from '../output.ts'
import { ledgerCommand } from './ledger.ts'

let dir: string
let config: string
const at = (name: string) => join(dir, name)
const run = (...line: string[]) => runCommand([ledgerCommand()], ['ledger', ...line])
/** Asked of a group whose servers do not run. */
const ask = (...line: string[]) => run(...line, '--config', config, '--timeout', '50ms')
const stage = new Stage(ledgerRules)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-ledger-files-'))
  const made = await initGroup({ dir: at('group'), servers: 4, liars: 0, clients: ['till'], basePort: 1 })
  config = made.clientFolders[0]!
  await run('key', at('alice.key'))
  await writeFile(at('there'), 'precious')
}, 30_000)
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('a file that is to be written', () => {
  const pay = () => ['--from', at('alice.key'), '--to', at('alice.key'), '--amount', '1']
  it('and is there, or cannot be, ends the command before anything is done', async () => {
    const lines = [
      ['transfer', 'coins', ...pay(), '--receipt'],
      ['proof', 'coins', '0', '--receipt'],
      ['checkpoint', 'coins', '--out'],
      ['status', 'coins', '--descriptor'],
      ['create', 'coins', '--balance', `${at('alice.key')}=1`, '--descriptor'],
    ]
    for (const line of lines) {
      const there = await ask(...line, at('there'))
      expect({ line, code: there.code, err: there.err }).toMatchObject({ code: 1 })
      expect(there.err, line[0]).toMatch(/there is there already, and is not written over\. Nothing was done/)
      expect((await ask(...line, at('no/where'))).err, line[0]).toMatch(/its folder is not there\. Nothing was done/)
    }
    expect(await readFile(at('there'), 'utf8')).toBe('precious')
  }, 30_000)

  it('and fails all the same does not hide what happened', async () => {
    const transaction = stage.pay(stage.a, 'alice', 1n)
    stage.a.must(transaction)
    const { kind: _, ...receipt } = stage.a.proof(stage.a.leaves.length - 1) as LedgerReceipt & { kind: 'proof' }
    const command = newCommand('done').action(() =>
      appended({ receipt: at('there') }, 'paid 1', receipt).catch(error => void process.stderr.write(error.message)),
    )
    const { out, err } = await runCommand([command], ['done'])
    expect(out).toMatch(/^paid 1: leaf \d+ of \d+, certified\n$/)
    expect(err).toMatch(/cannot write .*there: .*But it happened, as leaf \d+: coterie ledger proof/)
  })

  it('the burn of another move is neither written over nor taken for this one', async () => {
    const line = ['move', 'coins', '--into', 'shares', ...pay(), '--save', at('there')]
    const { err, code } = await ask(...line)
    expect(code).toBe(1)
    expect(err).toMatch(/the signed burn of a move that has not arrived\. --resume .* --refund .*Nothing was done/)
    expect(err).not.toMatch(/The signed burn is in/)
    const fresh = await ask(...line.with(-1, at('fresh.burn')))
    expect(fresh.err).not.toMatch(/The signed burn is in/)
  })

  it('what was handed in and not answered is kept, once', async () => {
    const before = process.cwd()
    await mkdir(at('kept'))
    process.chdir(at('kept'))
    try {
      const command = newCommand('keep').action(async () => {
        for (let i = 0; i < 2; i++) await keepLeaf('coins', Uint8Array.of(1, 2, 3))
      })
      const { err } = await runCommand([command], ['keep'])
      const [file, ...more] = await readdir('.')
      expect(more).toEqual([])
      expect(err).toContain(`coterie ledger submit coins ${file} says whether it happened`)
      expect([...(await readFile(file!))]).toEqual([1, 2, 3])
    } finally {
      process.chdir(before)
    }
  })
})

describe('what is said in vain is refused', () => {
  it.each([
    [['move', 'a', '--into', 'b', '--from', 'x', '--resume', 'y', '--amount', '5'], /--amount is of a new move/],
    [['move', 'a', '--into', 'b', '--from', 'x', '--refund', 'y', '--save', 'z'], /--save is of a new move/],
    [['move', 'a', '--from', 'x', '--to', 'y', '--amount', '5'], /--into, another ledger; or --register/],
    [['move', 'a', '--into', 'b', '--register', 'r', '--from', 'x', '--to', 'y', '--amount', '5'], /or --register/],
    [['move', 'a', '--register', 'r', '--from', 'x', '--to', 'y', '--amount', '5', '--save', 'z'], /one leaf/],
    [['audit', 'coins', '--descriptor', 'x'], /are of a log in a file, and there is no file coins/],
    [['audit', 'conis.log', '--checkpoint', 'x'], /there is no file conis.log/],
    [['log', 'coins', '--raw', '--json'], /--raw or --json/],
    [['create', 'a', '--register', 'a', '--balance', 'a:x=1'], /--register takes two names/],
  ])('%j', async (line, sentence) => {
    expect(await ask(...line)).toMatchObject({ code: 2, err: expect.stringMatching(sentence) })
  })

  it('a folder of the name of a ledger is no log', async () => {
    await mkdir(at('coins'))
    expect((await ask('audit', at('coins'))).err).not.toMatch(/takes --descriptor/)
  })
})

describe('a file that is read', () => {
  it('of an account that is not there says what would be one', async () => {
    const pay = ['transfer', 'coins', '--amount', '1']
    const from = await ask(...pay, '--from', at('none.key'), '--to', at('alice.key'))
    expect(from.err).toMatch(/none.key: there is no such file\. coterie ledger key makes an account/)
    for (const to of ['AB'.repeat(32), 'ab'.repeat(31), at('none.key')]) {
      const { err } = await ask(...pay, '--from', at('alice.key'), '--to', to)
      expect(err).toMatch(/is no account: neither a public key, .*, nor a file that is there/)
    }
  })

  it('and never ends, or is no file, is refused at once', async () => {
    for (const file of ['/dev/zero', dir]) {
      const { err, code } = await run('verify', file, '--descriptor', file)
      expect(code).toBe(1)
      expect(err).toMatch(/is not a plain file|is a folder/)
    }
  })

  it('a log without ends of lines is refused after what one line may have', async () => {
    // Without that bound this would fill the memory, and end in no sentence.
    const log = readLog('/dev/zero')
    await expect(log.next()).rejects.toThrow('leaf 0 is wrong: line 1 is no base 64.')
  })
})

describe('a line about a leaf', () => {
  const told = (leaf: Uint8Array, key = whole) => {
    const read = readTransaction(leaf)
    if (!read.ok) throw new Error(read.refusal)
    return describeTransaction(read.value, stage.a.descriptor, key)
  }
  it("names coins that are not the ledger's own, and keys in full where it counts", () => {
    expect(told(stage.pay(stage.a, 'alice', 5n))).toMatch(/^transfer 5 from [0-9a-f]{64} .*to [0-9a-f]{64}$/)
    const foreign = stage.pay(stage.a, 'alice', 5n, { asset: stage.b.descriptor.id })
    expect(told(foreign)).toContain(`transfer 5 of ${stage.b.descriptor.hex} from`)
  })
})
