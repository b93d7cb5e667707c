// A holder falls asleep, loses its lease, and wakes after somebody else has written: PostgreSQL refuses its write.
//
//   npm run example -- fenced-postgres
//
// Needs a PostgreSQL server, named by PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE. It makes the table
// `fenced_stock`, and the guard's own table and functions.

import { setTimeout as sleep } from 'node:timers/promises'
import { embedded } from 'coterie'
import { installGuard, StaleToken, withToken } from 'coterie/guards'
import pg from 'pg'

// A whole group inside this program. Between processes: `connect({ config })` in place of `embedded()`.
await using group = await embedded()

const alice = new pg.Client()
const bob = new pg.Client()
await Promise.all([alice.connect(), bob.connect()])

await installGuard(alice)
await alice.query('CREATE TABLE IF NOT EXISTS fenced_stock (item text PRIMARY KEY, amount integer NOT NULL)')
await alice.query(`INSERT INTO fenced_stock VALUES ('chairs', 10) ON CONFLICT (item) DO UPDATE SET amount = 10`)

async function sell(client: pg.Client, token: bigint, amount: number): Promise<void> {
  await withToken(client, 'stock', token, async tx => {
    await tx.query(`UPDATE fenced_stock SET amount = amount - $1 WHERE item = 'chairs'`, [amount])
  })
}

// Alice takes the lock for a short time and does not renew it: this stands for a process that stops.
const first = await group.lock('stock', { ttl: 200, renew: false })
await sell(alice, first.token, 1)
console.log('alice sold 1')

await sleep(300)
console.log(`alice wakes; does she still hold the lock? ${first.held()}`)

const second = await group.lock('stock', { timeout: 5_000 })
await sell(bob, second.token, 2)
console.log(`bob sold 2; his token is larger: ${second.token > first.token}`)

try {
  await sell(alice, first.token, 5)
  console.log('alice sold 5: this must never be printed')
} catch (error) {
  if (!(error instanceof StaleToken)) throw error
  console.log(`alice is refused: ${error.name}, ${error.outcome}`)
}

const { rows } = await bob.query(`SELECT amount FROM fenced_stock WHERE item = 'chairs'`)
console.log(`chairs left: ${rows[0].amount}`)

await second.release()
await Promise.all([alice.end(), bob.end()])
