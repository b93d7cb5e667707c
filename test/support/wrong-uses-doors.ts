// Wrong uses of what stands alone in a door: accounts, receipts, moves, filters of events, secret channels, leases, jobs in hand.

import * as events from '../../src/events/index.ts'
import { encodeFilter, explain, flatten, languageNamed, Matcher } from '../../src/events/index.ts'
import { Bloom, LineStream, restore } from '../../src/filters/index.ts'
import { fileTokens, memoryTokens } from '../../src/guards/index.ts'
import {
  accountFrom,
  auditLedger,
  decodeReceipt,
  encodeDescriptor,
  encodeReceipt,
  explainTrust,
  followEpochs,
  move,
  newAccount,
  readDescriptor,
  refundMove,
  resume,
  verifyReceipt,
} from '../../src/index.ts'
import { any, type WrongUse, wrong } from './wrong-use.ts'

const alice = newAccount()
const hash = new Uint8Array(32)
const checkpoint = any({ size: 1, height: 1, attempt: 1, root: hash, previous: hash, proposal: hash, votes: [] })
const receipt = any({ leaf: new Uint8Array(1), ledger: new Uint8Array(32), index: 0, path: [], checkpoint })
const price = { price: 9.5 }
const cheap = events.parseFilter({ price: { lt: 10 } })

const ledgers: readonly WrongUse[] = [
  wrong('accountFrom', 'the secret of an account is 64 digits', () => accountFrom(any(undefined))),
  wrong('accountFrom', 'the secret of an account is 64 digits', () => accountFrom('letmein')),
  wrong('verifyReceipt', 'receipt is undefined; it must be a receipt', () => verifyReceipt(any(undefined), any({}))),
  wrong(
    'verifyReceipt',
    'receipt is a Uint8Array; it must be a receipt (decodeReceipt makes one of bytes)',
    ({ ledger }) => verifyReceipt(any(new Uint8Array(9)), ledger.descriptor),
  ),
  wrong(
    'verifyReceipt',
    'descriptor is a Ledger; it must be the descriptor of a ledger (ledger.descriptor)',
    ({ ledger }) => verifyReceipt(receipt, any(ledger)),
  ),
  wrong('encodeReceipt', 'receipt is an object; it must be a receipt', () => encodeReceipt(any({}))),
  wrong('decodeReceipt', 'encoded is "00ff"; it must be the bytes of a receipt', () => decodeReceipt(any('00ff'))),
  wrong('encodeDescriptor', 'descriptor is an object; it must be the descriptor', () => encodeDescriptor(any({}))),
  wrong('readDescriptor', 'encoded is undefined; it must be the bytes', () => readDescriptor(any(undefined))),
  wrong('followEpochs', 'steps is undefined; it must be a list of steps', ({ ledger }) =>
    followEpochs(ledger.descriptor, any(undefined)),
  ),
  wrong('auditLedger', 'log is 5; it must be the leaves of a log', ({ ledger }) =>
    auditLedger(any(5), { descriptor: ledger.descriptor }),
  ),
  wrong('auditLedger', 'auditLedger has no option "checkpont". Did you mean checkpoint?', ({ ledger }) =>
    auditLedger([], any({ descriptor: ledger.descriptor, checkpont: checkpoint })),
  ),
  wrong('auditLedger', 'checkpoint is an object; it must be a checkpoint', ({ ledger }) =>
    auditLedger([], { descriptor: ledger.descriptor, checkpoint: any({ size: 1 }) }),
  ),
  wrong('Account.sign', 'message must be bytes, not text', () => alice.sign(any('hello'))),
]

const moves: readonly WrongUse[] = [
  wrong('move', 'move has no option "form". Did you mean from?', ({ ledger }) =>
    move(any({ out: ledger, into: ledger, form: alice, to: alice.key, amount: 1n })),
  ),
  wrong('move', 'out is "coins"; it must be a ledger (group.ledger, createLedger)', ({ ledger }) =>
    move(any({ out: 'coins', into: ledger, from: alice, to: alice.key, amount: 1n })),
  ),
  wrong('move', 'into is an object; it must be a ledger', ({ ledger }) =>
    move(any({ out: ledger, into: ledger.descriptor, from: alice, to: alice.key, amount: 1n })),
  ),
  wrong('move', 'amount is 5; it must be a bigint', ({ ledger }) =>
    move(any({ out: ledger, into: ledger, from: alice, to: alice.key, amount: 5 })),
  ),
  wrong('resume', 'resume takes its options as an object, not undefined', () =>
    resume(new Uint8Array(3), any(undefined)),
  ),
  wrong('resume', 'resume has no option "progres". Did you mean progress?', ({ ledger }) =>
    resume(new Uint8Array(3), any({ out: ledger, into: ledger, from: alice, progres() {} })),
  ),
  wrong('resume', 'leaf is an object; it must be', ({ ledger }) =>
    resume(any(receipt), { out: ledger, into: ledger, from: alice }),
  ),
  wrong('refundMove', 'burn is a Uint8Array; it must be the receipt of a burn', ({ ledger }) =>
    refundMove(any(new Uint8Array(3)), { out: ledger, into: ledger, from: alice }),
  ),
  wrong('refundMove', 'refundMove needs from: an account', ({ ledger }) =>
    refundMove(receipt, any({ out: ledger, into: ledger })),
  ),
]

const filters: readonly WrongUse[] = [
  wrong('parseFilter', 'price.below is no operator', () => events.parseFilter({ price: { below: 10 } })),
  wrong('parseAttributes', "an event's attributes are 5", () => events.parseAttributes(any(5))),
  wrong('matches', 'give it to parseFilter first', () => events.matches(any({ price: { lt: 10 } }), price)),
  wrong('matches', "an event's attributes are undefined", () => events.matches(cheap, any(undefined))),
  wrong('explain', 'give it to parseFilter first', () => explain(any({ price: { lt: 10 } }), price)),
  wrong('encodeFilter', 'give it to parseFilter first', () => encodeFilter(any({}))),
  wrong('flatten', 'an event is undefined', () => flatten(any(undefined))),
  wrong('languageNamed', "there is no language 'mqt'", () => languageNamed('mqt')),
  wrong('mqtt', 'a topic filter of MQTT is text, and undefined is none', () => events.mqtt(any(undefined))),
  wrong('nats', 'a subject of NATS is text, and 5 is none', () => events.nats(any(5))),
  wrong('sns', 'the filter policy is "x"', () => events.sns(any('x'))),
  wrong('eventBridge', 'a list of alternatives is needed', () => events.eventBridge(any({ source: 'x' }))),
  wrong('pubSub', 'a filter of Pub/Sub is text', () => events.pubSub(any({}))),
  wrong('cloudEvents', 'there is no dialect "exakt"', () => events.cloudEvents(any({ exakt: { type: 'x' } }))),
  wrong('Matcher.add', 'give it to parseFilter first', () => new Matcher().add('a', any({ price: { lt: 10 } }))),
  wrong('Matcher.match', "an event's attributes are null", () => new Matcher().match(any(null))),
  wrong('Matcher.count', 'an event\'s attributes are "x"', () => new Matcher().count(any('x'))),
  wrong('Matcher.each', 'take is undefined; it must be a function', () => new Matcher().each(price, any(undefined))),
]

const channels: readonly WrongUse[] = [
  wrong('CarriedChannel.publish', "an event's attributes are undefined", ({ channel }) =>
    channel.publish(any(undefined), 1),
  ),
  wrong('CarriedChannel.publish', 'payload.when is a Date', ({ channel }) =>
    channel.publish({ symbol: 'ACME' }, { when: new Date(0) }),
  ),
  wrong('CarriedChannel.subscribe', 'subscribe takes a function that is given each event', ({ channel }) =>
    channel.subscribe({ symbol: 'ACME' }, any(undefined)),
  ),
  wrong('CarriedChannel.subscribe', 'symbol.below is no operator', ({ channel }) =>
    channel.subscribe({ symbol: { below: 5 } }, () => {}),
  ),
  wrong('CarriedChannel.subscribe', 'price', ({ channel }) => channel.subscribe({ price: { lt: 10 } }, () => {})),
]

const held: readonly WrongUse[] = [
  wrong('TreeLease.renew', 'has no option "timeot". Did you mean timeout?', async ({ tree }) => {
    await using lease = await tree.lease({ ttl: 5_000 })
    await lease.renew(any({ timeot: 5 }))
  }),
  wrong('TreeLease.revoke', 'timeout is "5"; it must be', async ({ tree }) => {
    await using lease = await tree.lease({ ttl: 5_000 })
    await lease.revoke(any({ timeout: '5' }))
  }),
  wrong('Membership.leave', 'has no option "time"', async ({ group }) => {
    await using membership = await group.recipes.doubleBarrier('alone', 1).enter()
    await membership.leave(any({ time: 5 }))
  }),
  wrong('Job.progress', 'operation.progress.when is a Date', async ({ group }) => {
    const jobs = group.recipes.jobs('told')
    await jobs.add(1)
    throw await new Promise(resolve => {
      const worker = jobs.work(async job => {
        await job.progress(any({ when: new Date(0) })).catch(resolve)
        void worker.close()
      })
    })
  }),
  wrong('BanditHandle.stop', 'why is undefined; it must be', async ({ group }) => {
    const run = group.maximise({ name: 'stopped', arms: { a: () => 1, b: () => 0 }, budget: 9 })
    await run.result
    run.stop(any(undefined))
  }),
]

const others: readonly WrongUse[] = [
  wrong('explainTrust', 'group is an object; it must be what trust({ … }) gives', () =>
    explainTrust(any({ liars: 1 })),
  ),
  wrong('fileTokens', 'folder is undefined; it must be the path of a folder', () => fileTokens(any(undefined))),
  wrong('memoryTokens', 'resourcesMax is "many"; it must be a whole number', () => memoryTokens(any('many'))),
  wrong('restore', 'snapshot is text: it must be bytes', () => restore(any('COTF'))),
  wrong('LineStream.push', 'chunk is text: it must be bytes', () =>
    new LineStream({ filter: new Bloom({ bits: 100, hashes: 3 }) }).push(any('a line\n'), () => {}),
  ),
  wrong('LineStream.finish', 'emit is undefined: it must be a function', () =>
    new LineStream({ filter: new Bloom({ bits: 100, hashes: 3 }) }).finish(any(undefined)),
  ),
]

/** One wrong use, or a few, of every function that stands alone. */
export const doorWrongUses: readonly WrongUse[] = [...ledgers, ...moves, ...filters, ...channels, ...held, ...others]
