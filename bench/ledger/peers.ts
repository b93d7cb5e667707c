// The same book in a database: an account for each owner, a log with a hash chain, and every signature checked. One machine,
// one owner of the machine: nobody has to be believed but it, which is what the ledger is for.

import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import pg from 'pg'
import { opensslSignatures, opensslSigner } from '../../src/runtime/certificates/signatures.ts'
import { findPostgres, startPostgres } from '../../test/support/postgres.ts'
import { makeFolder } from '../support/processes.ts'

export interface Payment {
  readonly from: number
  readonly to: number
  readonly key: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

export const OWNERS = 64

/** Signed beforehand: the payer's work is not the book's. */
export function payments(count: number): Payment[] {
  const signers = Array.from({ length: OWNERS }, (_, owner) => opensslSigner(new Uint8Array(32).fill(owner + 1)))
  return Array.from({ length: count }, (_, place) => {
    const from = place % OWNERS
    const { publicKey, sign } = signers[from]!
    const message = new TextEncoder().encode(
      `${from} pays 1 to ${(from + 1) % OWNERS}, its ${Math.floor(place / OWNERS)}`,
    )
    return { from, to: (from + 1) % OWNERS, key: publicKey, message, signature: sign(message) }
  })
}

const chained = (before: Uint8Array, message: Uint8Array) =>
  new Uint8Array(createHash('sha256').update(before).update(message).digest())

// One for all: a key that was found sound is not looked at again, as at our servers.
const signatures = opensslSignatures()

function check({ key, message, signature }: Payment): void {
  if (!signatures.verify(key, message, signature)) throw new Error('a payment that nobody signed')
}

/** Payments a second, `together` in one commit; every commit is synced. */
export async function sqliteRate(all: readonly Payment[], together: number): Promise<number> {
  const folder = await makeFolder('sqlite')
  const database = new sqlite.Database(join(folder, 'book.db'))
  try {
    // Without shared memory, which WebAssembly has none of, a write-ahead log needs the file to itself.
    for (const pragma of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL'])
      database.exec(`PRAGMA ${pragma}`)
    database.exec('CREATE TABLE account (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL CHECK (amount >= 0))')
    database.exec('CREATE TABLE log (place INTEGER PRIMARY KEY, message BLOB NOT NULL, hash BLOB NOT NULL)')
    for (let owner = 0; owner < OWNERS; owner++) database.run('INSERT INTO account VALUES (?, 1000000)', [owner])
    const move = database.prepare('UPDATE account SET amount = amount + ? WHERE id = ?')
    const note = database.prepare('INSERT INTO log (message, hash) VALUES (?, ?)')
    let hash: Uint8Array = new Uint8Array(32)
    const began = performance.now()
    for (let at = 0; at < all.length; at += together) {
      database.exec('BEGIN IMMEDIATE')
      for (const payment of all.slice(at, at + together)) {
        check(payment)
        move.run([-1, payment.from])
        move.run([1, payment.to])
        hash = chained(hash, payment.message)
        note.run([payment.message, hash])
      }
      database.exec('COMMIT')
    }
    const seconds = (performance.now() - began) / 1_000
    move.finalize()
    note.finalize()
    return all.length / seconds
  } finally {
    database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The same in PostgreSQL, serializable, over a socket; or why there is none. */
export async function postgresRate(all: readonly Payment[], together: number): Promise<number | string> {
  const found = await findPostgres()
  if ('missing' in found) return found.missing
  const started = await startPostgres(found.programs)
  const client = new pg.Client(started.config)
  try {
    await client.connect()
    await client.query('CREATE TABLE account (id int PRIMARY KEY, amount bigint NOT NULL CHECK (amount >= 0))')
    await client.query('CREATE TABLE log (place bigserial PRIMARY KEY, message bytea NOT NULL, hash bytea NOT NULL)')
    await client.query(`INSERT INTO account SELECT owner, 1000000 FROM generate_series(0, ${OWNERS - 1}) owner`)
    let hash: Uint8Array = new Uint8Array(32)
    const began = performance.now()
    for (let at = 0; at < all.length; at += together) {
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
      for (const payment of all.slice(at, at + together)) {
        check(payment)
        hash = chained(hash, payment.message)
        await client.query('UPDATE account SET amount = amount - 1 WHERE id = $1', [payment.from])
        await client.query('UPDATE account SET amount = amount + 1 WHERE id = $1', [payment.to])
        await client.query('INSERT INTO log (message, hash) VALUES ($1, $2)', [payment.message, hash])
      }
      await client.query('COMMIT')
    }
    return all.length / ((performance.now() - began) / 1_000)
  } finally {
    await client.end()
    await started.stop()
  }
}
