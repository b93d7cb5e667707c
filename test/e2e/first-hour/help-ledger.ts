// The examples of `coterie ledger`, in an order in which they work: keys and ledgers first, then payments, then moves.

import type { Scene } from './world.ts'

export const ledgerScenes: readonly Scene[] = [
  { line: 'coterie ledger key alice.key', says: /^[0-9a-f]{64}$/m },
  { line: 'coterie ledger key alice.key --show', says: /^[0-9a-f]{64}$/m },
  {
    line: 'coterie ledger create coins --asset EUR-cent --balance alice.key=1000 --operator alice.key --descriptor coins.ledger',
    says: /made ledger coins/,
  },
  {
    line: 'coterie ledger create both --register a,b --balance a:alice.key=1000 --balance b:bob.key=500',
    as: 'coterie ledger key bob.key && coterie ledger create both --register a,b --balance a:alice.key=1000 --balance b:bob.key=500',
  },
  {
    line: 'coterie ledger transfer coins --from alice.key --to bob.key --amount 250 --memo rent --receipt rent.receipt',
    says: /paid 250: leaf 0 of 1, certified/,
  },
  { line: 'coterie ledger verify rent.receipt --descriptor coins.ledger', says: /it holds: transfer 250/ },
  { line: 'coterie ledger balance coins bob.key', says: /^250$/m },
  { line: 'coterie ledger account coins bob.key', says: /next sequence 0/ },
  { line: 'coterie ledger log coins', says: /transfer 250 .*"rent"/ },
  { line: 'coterie ledger log coins --raw > coins.log' },
  {
    line: 'coterie ledger watch coins',
    as: 'timeout 3 coterie ledger watch coins --from 0 || true',
    says: /transfer 250/,
  },
  { line: 'coterie ledger checkpoint coins --out coins.checkpoint', says: /size 1, 6 signatures/ },
  { line: 'coterie ledger audit coins', says: /^sound: 1 leaf /m },
  { line: 'coterie ledger audit coins --from coins.checkpoint', says: /^sound/m },
  { line: 'coterie ledger audit coins.log --descriptor coins.ledger --checkpoint coins.checkpoint', says: /^sound/m },
  { line: 'coterie ledger proof coins 0 --receipt first.receipt', says: /leaf 0 of 1/ },
  {
    line: 'coterie ledger status coins --descriptor coins.ledger',
    as: 'rm coins.ledger && coterie ledger status coins --descriptor coins.ledger',
    says: /accounts hold 1000/,
  },
  {
    line: 'coterie ledger link coins --peer shares.ledger --operator alice.key --cap 5000',
    as:
      'coterie ledger key carol.key && ' +
      'coterie ledger create shares --balance carol.key=1000 --operator carol.key --descriptor shares.ledger && ' +
      'coterie ledger link coins --peer shares.ledger --operator alice.key --cap 5000 && ' +
      'coterie ledger link shares --peer coins.ledger --operator carol.key --cap 5000',
  },
  { line: 'coterie ledger link coins --peer shares.ledger --operator alice.key --cap 5000 --rate 500 --window 24' },
  {
    line: 'coterie ledger move coins --into shares --from bob.key --to carol.key --amount 100',
    says: /minted as leaf/,
  },
  {
    line: 'coterie ledger move coins --into shares --from bob.key --resume coins.burn',
    // Past the cap: it is burned, and cannot be minted.
    as:
      'coterie ledger link shares --peer coins.ledger --operator carol.key --cap 110 && ' +
      'if coterie ledger move coins --into shares --from bob.key --to carol.key --amount 20; then exit 1; fi && ' +
      'coterie ledger link shares --peer coins.ledger --operator carol.key --cap 5000 && ' +
      'coterie ledger move coins --into shares --from bob.key --resume coins.burn',
    says: /moved: burned as leaf/,
  },
  {
    line: 'coterie ledger move coins --into shares --from bob.key --refund coins.burn',
    as:
      'coterie ledger link shares --peer coins.ledger --operator carol.key --cap 120 && ' +
      'if coterie ledger move coins --into shares --from bob.key --to carol.key --amount 20; then exit 1; fi && ' +
      'coterie ledger move coins --into shares --from bob.key --refund coins.burn && ' +
      'coterie ledger link shares --peer coins.ledger --operator carol.key --cap 5000',
    says: /refunded: leaf/,
  },
  {
    line: 'coterie ledger burn coins --from bob.key --into shares.ledger --to carol.key --amount 100 --receipt burn.receipt',
    as: 'coterie ledger burn coins --from bob.key --into shares.ledger --to carol.key --amount 10 --receipt burn.receipt',
  },
  { line: 'coterie ledger mint shares burn.receipt --config shop/clients/admin', says: /minted: leaf/ },
  {
    line: 'coterie ledger void shares burn.receipt --from bob.key --receipt void.receipt',
    as:
      'rm burn.receipt && coterie ledger burn coins --from bob.key --into shares.ledger --to carol.key --amount 10 --receipt burn.receipt && ' +
      'coterie ledger void shares burn.receipt --from bob.key --receipt void.receipt',
  },
  { line: 'coterie ledger refund coins void.receipt', says: /refunded: leaf/ },
  {
    // No group here has more liars than it says: two checkpoints that do not contradict each other are refused.
    line: 'coterie ledger freeze coins --peer shares.ledger --one mine.checkpoint --other theirs.checkpoint',
    as:
      'coterie ledger checkpoint shares --out mine.checkpoint && cp mine.checkpoint theirs.checkpoint && ' +
      'coterie ledger freeze coins --peer shares.ledger --one mine.checkpoint --other theirs.checkpoint',
    code: 1,
    says: /refused/,
  },
  {
    line: 'coterie ledger move both --register a --from alice.key --to bob.key --amount 10',
    says: /moved 10 out of a: leaf 0 of 1, certified/,
  },
  {
    line: 'coterie ledger submit coins coins-0123456789ab.leaf',
    // Bytes that are a leaf already: the same leaf comes back.
    as:
      'head -n 1 coins.log | base64 -d > coins-0123456789ab.leaf && ' +
      'coterie ledger submit coins coins-0123456789ab.leaf',
    says: /appended: leaf 0 of/,
  },
  { line: 'coterie ledger epoch coins --operator alice.key', says: /^epoch 1, kept by .*: leaf/m },
  {
    line: 'coterie ledger epoch coins --operator alice.key --server server-1,server-2,server-3,server-4,server-5,server-6',
    says: /^epoch 2, kept by server-1, .*server-6: leaf/m,
  },
  {
    line: 'coterie ledger follow shares --peer coins.ledger',
    as:
      'rm coins.ledger && coterie ledger status coins --descriptor coins.ledger && ' +
      'coterie ledger follow shares --peer coins.ledger',
    says: /knows epoch 2 of coins/,
  },
]
