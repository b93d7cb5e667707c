// Any words of the lock's vocabulary, valid on the wire and otherwise as odd as they come.

import fc from 'fast-check'
import { type LockMessage, NAME_BYTES_MAX, TTL_MAX } from '../../src/lock/index.ts'
import { TOKEN_MAX } from '../../src/lock/wire.ts'

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', '', '__proto__', 'constructor') },
  fc.string({ maxLength: NAME_BYTES_MAX / 4, unit: 'binary' }),
)
const attempt = fc.oneof(fc.nat(9), fc.maxSafeNat())
const token = fc.oneof(
  { weight: 4, arbitrary: fc.nat(20) },
  fc.constantFrom(0, TOKEN_MAX),
  fc.maxSafeNat().map(n => Math.min(n, TOKEN_MAX)),
)
const ttl = fc.oneof(fc.constantFrom(0, 1, 1_000, TTL_MAX), fc.nat(TTL_MAX))
/** The first life's numbers begin at 2^32. */
const grant = fc.oneof(
  fc.nat(9).map(n => n + 2 ** 32),
  fc.maxSafeNat(),
)
const node = fc.constantFrom('ann', 'bob')
const what = fc.string({ maxLength: 20, unit: 'binary' })
const waiters = fc.array(node, { maxLength: 20 })
const lease = fc.record({ name, holder: node, token, age: fc.maxSafeNat(), remaining: ttl, waiters })

function kind<const K extends string, M extends Record<string, unknown>>(
  which: K,
  fields: { [F in keyof M]: fc.Arbitrary<M[F]> },
): fc.Arbitrary<{ kind: K } & M> {
  return fc.record({ kind: fc.constant(which), ...fields }) as unknown as fc.Arbitrary<{ kind: K } & M>
}

export const clientWords: fc.Arbitrary<LockMessage> = fc.oneof(
  kind('try', { name, attempt, token, ttl }),
  kind('renew', { name, attempt, token, ttl }),
  kind('keep', { name, attempt, token, ttl, holder: fc.constantFrom('ann', 'ann#1', 'bob') }),
  kind('release', { name, token, unused: fc.boolean() }),
  kind('inspect', { query: fc.maxSafeNat() }),
  kind('wait', { name, attempt, token, ttl, ticket: token, ping: fc.nat(9) }),
  kind('yield', { name, grant, token }),
  kind('force', { query: fc.maxSafeNat(), name }),
  kind('askFloor', { query: fc.nat(9) }),
  kind('resetFloor', { query: fc.maxSafeNat() }),
  kind('account', { query: fc.maxSafeNat() }),
  kind('complain', { server: node, what, name }),
)

export const serverWords: fc.Arbitrary<LockMessage> = fc.oneof(
  kind('granted', { name, attempt, token, held: ttl }),
  kind('locked', { name, attempt, remaining: ttl, recovering: fc.boolean() }),
  kind('tooLow', { name, attempt, maximum: token }),
  kind('renewed', { name, attempt, token, held: ttl }),
  kind('notRenewed', { name, attempt, token }),
  kind('full', { name, attempt }),
  kind('given', { name, attempt, token, grant, ping: fc.nat(9), held: ttl }),
  kind('queued', { name, attempt, ping: fc.nat(9) }),
  kind('inquire', { name, grant, token }),
  kind('inspected', {
    query: fc.nat(9),
    uptime: fc.maxSafeNat(),
    recovering: ttl,
    held: fc.maxSafeNat(),
    leases: fc.array(lease, { maxLength: 3 }),
  }),
  kind('forced', { query: fc.nat(9), holder: node, token }),
  kind('notAllowed', { query: fc.nat(9) }),
  kind('floor', { query: fc.nat(9), floor: token }),
  kind('tooHigh', { name, attempt, maximum: token }),
  kind('floorReset', { query: fc.nat(9), floor: token, was: token }),
  kind('accounted', {
    query: fc.nat(9),
    highest: token,
    clock: fc.maxSafeNat(),
    asking: fc.boolean(),
    names: fc.maxSafeNat(),
    namesOfOne: fc.maxSafeNat(),
    complaints: fc.array(fc.record({ client: node, server: node, what, name }), { maxLength: 3 }),
  }),
)

export const anyMessage: fc.Arbitrary<LockMessage> = fc.oneof({ weight: 4, arbitrary: clientWords }, serverWords)
