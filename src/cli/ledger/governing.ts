// What operators do, and what anybody does who holds proof: a ledger made, linked, kept by others, followed, frozen.

import { type Command, InvalidArgumentError } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { action, colour, print, several, wholeNumber } from '../output.ts'
import { amount, appended, asking, handingIn, type LedgerLine, waiting, withGroup, withLedger } from './common.ts'
import { checkFree, keyOf, readCheckpoint, readDescription, readKey, writeDescription } from './files.ts'

interface CreateLine extends LedgerLine {
  readonly asset?: string
  readonly balance: readonly FirstBalance[]
  readonly register?: readonly string[]
  readonly operator?: readonly string[]
  readonly operatorsNeeded?: number
  readonly descriptor?: string
}

interface FirstBalance {
  readonly register: string | undefined
  readonly key: string
  readonly amount: bigint
}

const CREATE = `
Example:
  $ coterie ledger create coins --asset EUR-cent --balance alice.key=1000 --operator alice.key --descriptor coins.ledger
      all servers must be up: each brings its voting key. What a ledger is at first can never be changed
  $ coterie ledger create both --register a,b --balance a:alice.key=1000 --balance b:bob.key=500
      two registers in one log: coins move between them in one leaf

Exit codes: 0 made, or there already as it is asked for; 1 servers refused or did not answer, 2 wrong usage, or too few servers.`

export function createCommand(): Command {
  return asking('create', 'make a ledger, kept by the servers of the group', CREATE)
    .argument('<name>', 'name of the ledger: lower-case letters, digits and hyphens')
    .requiredOption(
      '--balance <key=amount>',
      'who owns what at first; with two registers, REGISTER:KEY=AMOUNT',
      firstBalance,
    )
    .option('--asset <text>', 'what is counted, such as EUR-cent')
    .option('--register <names>', 'two names, for a ledger of two registers', several)
    .option('--operator <key>', 'who may link other ledgers', several)
    .option('--operators-needed <number>', 'how many operators must sign (default: all)', wholeNumber)
    .option('--descriptor <file>', 'where to write the description of the ledger, for those who check receipts')
    .action(action(create))
}

function firstBalance(text: string, before: readonly FirstBalance[] = []): readonly FirstBalance[] {
  const found = /^(?:([a-z0-9-]+):)?(.+)=(\d{1,19})$/.exec(text)
  if (found === null) throw new InvalidArgumentError('It must be KEY=AMOUNT, or REGISTER:KEY=AMOUNT.')
  return [...before, { register: found[1], key: found[2]!, amount: amount(found[3]!) }]
}

async function create(name: string, line: CreateLine): Promise<void> {
  const { asset, register: registers, operatorsNeeded } = line
  await checkFree(line.descriptor)
  const balances = await balancesOf(line)
  const operators = await Promise.all((line.operator ?? []).map(keyOf))
  await withGroup(line, async group => {
    const ledger = await group.createLedger(name, {
      ...waiting(line),
      balances: registers === undefined ? (balances.get('') ?? {}) : Object.fromEntries(balances),
      operators,
      ...(asset !== undefined && { asset }),
      ...(registers !== undefined && { registers }),
      ...(operatorsNeeded !== undefined && { operatorsNeeded }),
    })
    if (line.descriptor !== undefined) await writeDescription(line.descriptor, ledger.descriptor)
    const { servers } = ledger.descriptor.genesis
    print(
      line.json,
      { name, id: ledger.id, servers: servers.map(server => server.name) },
      () => `${colour.green('made')} ledger ${colour.bold(name)} ${ledger.id}, kept by ${servers.length} servers`,
    )
  })
}

async function balancesOf({ balance, register: registers }: CreateLine): Promise<Map<string, Record<string, bigint>>> {
  if (registers !== undefined && registers.length !== 2)
    throw new SettingsError('--register takes two names, a,b; a ledger of one register has none to say.')
  const balances = new Map<string, Record<string, bigint>>()
  for (const { register, key, amount: first } of balance) {
    if ((registers === undefined) !== (register === undefined))
      throw new SettingsError(
        registers === undefined
          ? '--balance REGISTER:KEY=AMOUNT is for a ledger of two registers (--register a,b).'
          : 'with two registers, say of which: --balance REGISTER:KEY=AMOUNT.',
      )
    const own = balances.get(register ?? '') ?? {}
    const account = await keyOf(key)
    if (own[account] !== undefined) throw new SettingsError(`account ${account} is named twice.`)
    own[account] = first
    balances.set(register ?? '', own)
  }
  return balances
}

interface LinkLine extends LedgerLine {
  readonly peer: string
  readonly operator: readonly string[]
  readonly cap: bigint
  readonly rate?: bigint
  readonly window?: number
  readonly receipt?: string
}

const LINK = `
Example:
  $ coterie ledger link coins --peer shares.ledger --operator alice.key --cap 5000
      coins of shares may come here, 5000 at once at most; and coins may go there
  $ coterie ledger link coins --peer shares.ledger --operator alice.key --cap 5000 --rate 500 --window 24
      and 500 in any 24 hours at most: what a group that goes bad can cost, and how fast

A link to a ledger whose servers signed two histories freezes by coterie ledger freeze; another link by the operators thaws it.

Exit codes: 0 certified, 1 refused (not enough operators) or no answer, 2 wrong usage.`

export function linkCommand(): Command {
  return asking('link', 'for operators: let coins of another ledger come here, up to a cap', LINK)
    .argument('<name>', 'name of the ledger')
    .requiredOption('--peer <file>', 'the description of the other ledger')
    .requiredOption('--operator <file>', 'the file of the secret of an operator that the ledger names', several)
    .requiredOption('--cap <number>', 'coins of the other ledger that may be here at once', amount)
    .option('--rate <number>', 'coins that may come within --window', amount)
    .option('--window <hours>', 'in how many hours', wholeNumber)
    .option('--receipt <file>', 'where to keep the receipt')
    .action(
      action(async (name: string, line: LinkLine) => {
        const peer = await readDescription(line.peer)
        const operators = await Promise.all(line.operator.map(readKey))
        const { cap, rate, window } = line
        const link = { operators, cap, ...(rate !== undefined && { rate }), ...(window !== undefined && { window }) }
        await handingIn(name, line, async (ledger, wait) =>
          appended(line, 'linked', await ledger.link(peer, link, wait)),
        )
      }),
    )
}

interface EpochLine extends LedgerLine {
  readonly operator: readonly string[]
  readonly server?: readonly string[]
  readonly crashes?: number
  readonly liars?: number
  readonly receipt?: string
}

const EPOCH = `
Example:
  $ coterie ledger epoch coins --operator alice.key
      the same servers, each with the voting key that it offers now: after one lost its store or its voting.key
  $ coterie ledger epoch coins --operator alice.key --server server-1,server-2,server-3,server-4,server-5,server-6
      these servers keep it from here on, and the one that is not named keeps it no more

The servers of now certify it, and as many of the new ones pledge as it takes to certify: a ledger cannot end by it. Receipts of
before hold as before. Who checks without a network needs the new description (coterie ledger status NAME --descriptor FILE),
and linked ledgers must follow (coterie ledger follow).

Exit codes: 0 certified, 1 refused (not enough operators or pledges) or no answer, 2 wrong usage, or too few servers.`

export function epochCommand(): Command {
  return asking('epoch', 'for operators: change who keeps the ledger', EPOCH)
    .argument('<name>', 'name of the ledger')
    .requiredOption('--operator <file>', 'the file of the secret of an operator that the ledger names', several)
    .option('--server <names>', 'servers of the group that are to keep it (default: those of now)', several)
    .option('--crashes <number>', 'how many of them may be gone (default: as before)', wholeNumber)
    .option('--liars <number>', 'how many of those may lie (default: as before)', wholeNumber)
    .option('--receipt <file>', 'where to keep the receipt')
    .action(
      action(async (name: string, line: EpochLine) => {
        const operators = await Promise.all(line.operator.map(readKey))
        const { server: servers, crashes, liars } = line
        const next = {
          operators,
          ...(servers !== undefined && { servers }),
          ...(crashes !== undefined && { crashes }),
          ...(liars !== undefined && { liars }),
        }
        await handingIn(name, line, async (ledger, wait) => {
          const receipt = await ledger.epoch(next, wait)
          const { number, servers: kept } = ledger.descriptor.epochs.at(-1)!
          await appended(line, `epoch ${number}, kept by ${kept.map(one => one.name).join(', ')}`, receipt)
        })
      }),
    )
}

const FOLLOW = `
Example:
  $ coterie ledger follow shares --peer coins.ledger
      coins is kept by others now, as its description shows: shares takes their certificates from here on, and no older ones

Anybody may, who holds the description (coterie ledger status NAME --descriptor FILE). coterie ledger move does it by itself.

Exit codes: 0 followed, or nothing is new; 1 refused or no answer, 2 wrong usage, or no link.`

export function followCommand(): Command {
  return asking('follow', 'show that a linked ledger is kept by others', FOLLOW)
    .argument('<name>', 'name of the ledger')
    .requiredOption('--peer <file>', 'the description of the other ledger, as it is now')
    .action(
      action(async (name: string, line: LedgerLine & { readonly peer: string }) => {
        const peer = await readDescription(line.peer)
        await withLedger(name, line, async ledger => {
          const receipts = await ledger.follow(peer, waiting(line))
          const { epoch } = await ledger.linkTo(peer, waiting(line))
          const words = receipts.length === 0 ? 'nothing is new' : `leaf ${receipts.map(one => one.index).join(', ')}`
          print(
            line.json,
            { followed: receipts.length, epoch },
            () => `${name} knows epoch ${epoch} of ${peer.genesis.name}: ${words}`,
          )
        })
      }),
    )
}

interface FreezeLine extends LedgerLine {
  readonly peer: string
  readonly one: string
  readonly other: string
  readonly receipt?: string
}

const FREEZE = `
Example:
  $ coterie ledger freeze coins --peer shares.ledger --one mine.checkpoint --other theirs.checkpoint
      two certificates of shares, of one size and with two roots: nothing comes from there any more

Anybody may, who holds the two. What was burned here for the other ledger can still be made void there and refunded.

Exit codes: 0 frozen, 1 refused (the two do not contradict each other) or no answer, 2 wrong usage.`

export function freezeCommand(): Command {
  return asking('freeze', 'stop a link by proof that the other ledger has two histories', FREEZE)
    .argument('<name>', 'name of the ledger')
    .requiredOption('--peer <file>', 'the description of the other ledger')
    .requiredOption('--one <file>', 'a checkpoint of the other ledger')
    .requiredOption('--other <file>', 'another one of the same size, with another root')
    .option('--receipt <file>', 'where to keep the receipt')
    .action(
      action(async (name: string, line: FreezeLine) => {
        const peer = await readDescription(line.peer)
        const one = await readCheckpoint(line.one, peer)
        const other = await readCheckpoint(line.other, peer)
        await handingIn(name, line, async (ledger, wait) =>
          appended(line, 'frozen', await ledger.freeze(peer, { one, other }, wait)),
        )
      }),
    )
}
