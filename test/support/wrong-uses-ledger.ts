// Wrong uses of ledgers: a part of the list in wrong-uses.ts.

import { newAccount } from '../../src/index.ts'
import { any, type WrongUse, wrong as wrongUse } from './wrong-use.ts'

const wrong = (call: string, says: string, use: WrongUse['use']): WrongUse => wrongUse(`Ledger.${call}`, says, use)

const alice = newAccount()
const bob = newAccount().key
const hash = new Uint8Array(32)
const checkpoint = any({ size: 1, height: 1, attempt: 1, root: hash, previous: hash, proposal: hash, votes: [] })
const receipt = any({ leaf: new Uint8Array(1), ledger: new Uint8Array(32), index: 0, path: [], checkpoint })

/** One wrong use, or a few, of every method of a ledger. */
export const ledgerWrongUses: readonly WrongUse[] = [
  wrong('transfer', 'ledger.transfer has no option "amout". Did you mean amount?', ({ ledger }) =>
    ledger.transfer(any({ from: alice, to: bob, amout: 1n })),
  ),
  wrong('transfer', 'amount is 5; it must be a bigint: 250n.', ({ ledger }) =>
    ledger.transfer(any({ from: alice, to: bob, amount: 5 })),
  ),
  wrong('transfer', 'it must be an account (newAccount, accountFrom)', ({ ledger }) =>
    ledger.transfer(any({ from: alice.key, to: bob, amount: 1n })),
  ),
  wrong('transfer', 'not of small order', ({ ledger }) => ledger.transfer(any({ from: alice, to: 'bob', amount: 1n }))),
  wrong('burn', 'ledger.burn needs into', ({ ledger }) => ledger.burn(any({ from: alice, to: bob, amount: 1n }))),
  wrong('moveWithin', 'ledger.moveWithin has no option "memo"', ({ ledger }) =>
    ledger.moveWithin(any({ from: alice, to: bob, amount: 1n, memo: 'x' })),
  ),
  wrong('mint', 'burn is "burn.receipt"; it must be a receipt, or the index', ({ ledger }) =>
    ledger.mint(any('burn.receipt')),
  ),
  wrong('mint', 'ledger.mint has no option "timeot". Did you mean timeout?', ({ ledger }) =>
    ledger.mint(receipt, any({ timeot: 1 })),
  ),
  wrong('void', 'owner is undefined; it must be an account', ({ ledger }) => ledger.void(receipt, any(undefined))),
  wrong('void', 'burn is -1; it must be a receipt, or the index', ({ ledger }) => ledger.void(-1, alice)),
  wrong('refund', 'voided is undefined; it must be a receipt', ({ ledger }) => ledger.refund(any(undefined))),
  wrong('submit', 'leaf is "00ff"; it must be the bytes of a signed transaction', ({ ledger }) =>
    ledger.submit(any('00ff')),
  ),
  wrong('balance', 'ledger.balance has no option "aset". Did you mean asset?', ({ ledger }) =>
    ledger.balance(bob, any({ aset: 'x' })),
  ),
  wrong('balance', 'it must be an Ed25519 key of 64 digits', ({ ledger }) => ledger.balance(any(5))),
  wrong('account', "has no register 'c'", ({ ledger }) => ledger.account(bob, { register: 'c' })),
  wrong('checkpoint', 'timeout is "5"; it must be', ({ ledger }) => ledger.checkpoint(any({ timeout: '5' }))),
  wrong('note', 'checkpoint is undefined; it must be a checkpoint', ({ ledger }) => ledger.note(any(undefined))),
  wrong('proof', 'index is -1; it must be a whole number from 0', ({ ledger }) => ledger.proof(-1)),
  wrong('consistency', 'held is 5; it must be a checkpoint', ({ ledger }) => ledger.consistency(any(5))),
  wrong('log', 'from is -1; it must be a whole number from 0', ({ ledger }) => ledger.log(-1)),
  wrong('watch', 'ledger.watch has no option "form". Did you mean from?', ({ ledger }) =>
    ledger.watch(any({ form: 0 })),
  ),
  wrong('audit', 'seen is "yesterday"; it must be a checkpoint', ({ ledger }) =>
    ledger.audit(any({ seen: 'yesterday' })),
  ),
  wrong('link', 'peer is "shares"; it must be a ledger or its descriptor', ({ ledger }) =>
    ledger.link(any('shares'), { operators: [alice], cap: 1n }),
  ),
  wrong('link', 'operators is an array; it must be a list of accounts', ({ ledger }) =>
    ledger.link(ledger.descriptor, any({ operators: [alice.key], cap: 1n })),
  ),
  wrong('link', 'a ledger is not linked to itself', ({ ledger }) =>
    ledger.link(ledger, { operators: [alice], cap: 1n }),
  ),
  wrong('linkTo', 'peer is undefined; it must be a ledger or its descriptor', ({ ledger }) =>
    ledger.linkTo(any(undefined)),
  ),
  wrong('freeze', 'ledger.freeze needs other: a checkpoint', ({ ledger }) =>
    ledger.freeze(ledger.descriptor, any({ one: checkpoint })),
  ),
  wrong('epoch', 'ledger.epoch needs operators: a list of accounts', ({ ledger }) => ledger.epoch(any({}))),
  wrong('epoch', 'ledger.epoch has no option "server". Did you mean servers?', ({ ledger }) =>
    ledger.epoch(any({ operators: [alice], server: ['server-1'] })),
  ),
  wrong('epoch', 'servers is "server-1"; it must be a list of names of servers', ({ ledger }) =>
    ledger.epoch(any({ operators: [alice], servers: 'server-1' })),
  ),
  wrong('follow', 'peer is undefined; it must be a ledger or its descriptor', ({ ledger }) =>
    ledger.follow(any(undefined)),
  ),
  wrong('totals', "has no register 'c'", ({ ledger }) => ledger.totals({ register: 'c' })),
  wrong('fate', 'burn is 17; it must be the receipt of a burn', ({ ledger }) => ledger.fate(any(17))),
]
