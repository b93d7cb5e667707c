// The PostgreSQL guard, with a real server from Debian's packages. Skipped, with the reason, where there is none.

import { setTimeout as sleep } from 'node:timers/promises'
import { SettingsError } from 'coterie'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../test/guards/bundle.ts'
import { findPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { run } from '../../test/support/processes.ts'
import { RESOURCE_BYTES_MAX, TOKEN_MAX } from './decision.ts'
import { StaleToken, WriteUncertain } from './errors.ts'
import { NotCommitted, staleToken, withToken } from './postgres.ts'
import { installGuard, MISSING_TOKEN_SQLSTATE, STALE_TOKEN_SQLSTATE } from './postgres-install.ts'

const found = await findPostgres()
if ('missing' in found) console.log(`skipped: PostgreSQL guard, because ${found.missing}`)

describe.skipIf('missing' in found)('the PostgreSQL guard', () => {
  let server: Postgres
  const clients: pg.Client[] = []
  let client: pg.Client
  let other: pg.Client

  const connect = async () => {
    const each = new pg.Client(server.config)
    // Some tests end a connection from outside.
    each.on('error', () => {})
    await each.connect()
    clients.push(each)
    return each
  }
  const insert = (value: string) => (tx: pg.Client) => tx.query('INSERT INTO journal (value) VALUES ($1)', [value])
  const journal = async () => (await client.query('SELECT value FROM journal ORDER BY id')).rows.map(row => row.value)
  const kept = async (resource: string) =>
    (await client.query('SELECT token FROM coterie_tokens WHERE resource = $1', [resource])).rows[0]?.token

  beforeAll(async () => {
    server = await startPostgres('programs' in found ? found.programs : '')
    client = await connect()
    other = await connect()
    await installGuard(client)
    await client.query('CREATE TABLE journal (id serial PRIMARY KEY, value text NOT NULL)')
  })

  afterAll(async () => {
    await Promise.allSettled(clients.map(each => each.end()))
    await server?.stop()
  })

  it('writes with a growing or an equal token, and keeps the largest', async () => {
    await client.query('TRUNCATE journal')
    for (const token of [1n, 1n, 5n, TOKEN_MAX]) await withToken(client, 'grows', token, insert(String(token)))
    expect(await journal()).toEqual(['1', '1', '5', String(TOKEN_MAX)])
    expect(await kept('grows')).toBe(String(TOKEN_MAX))
  })

  it('refuses a smaller token and does not run the work', async () => {
    await withToken(client, 'stale', 7n, async () => {})
    let ran = false
    const late = withToken(client, 'stale', 6n, async () => {
      ran = true
    })
    await expect(late).rejects.toThrow(StaleToken)
    await expect(late).rejects.toMatchObject({ resource: 'stale', token: 6n, seen: 7n, outcome: 'did not happen' })
    expect(ran).toBe(false)
    // The connection is good for the next transaction.
    await withToken(client, 'stale', 7n, async () => {})
  })

  it('gives the value of the work back, and keeps resources apart', async () => {
    await withToken(client, 'one', 9n, async () => {})
    expect(await withToken(client, 'two', 1n, async tx => (await tx.query('SELECT 42 AS n')).rows[0].n)).toBe(42)
  })

  it('rolls the token back with the work', async () => {
    await withToken(client, 'undone', 1n, async () => {})
    const failing = withToken(client, 'undone', 5n, async tx => {
      await insert('never')(tx)
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    expect(await kept('undone')).toBe('1')
    expect(await journal()).not.toContain('never')
  })

  it('says so where a failed statement was swallowed and nothing was committed', async () => {
    const swallowing = withToken(client, 'swallowed', 5n, async tx => {
      await tx.query('SELECT 1 / 0').catch(() => {})
    })
    await expect(swallowing).rejects.toThrow(NotCommitted)
    expect(await kept('swallowed')).toBeUndefined()
  })

  it('says so where nobody can know whether it was committed', async () => {
    const doomed = await connect()
    const write = withToken(doomed, 'uncertain', 5n, async tx => {
      const { pid } = (await tx.query('SELECT pg_backend_pid() AS pid')).rows[0]
      await client.query('SELECT pg_terminate_backend($1)', [pid])
    })
    await expect(write).rejects.toThrow(WriteUncertain)
    await expect(write).rejects.toMatchObject({ outcome: 'may have happened' })
  })

  it('passes a refusal to commit on as it is', async () => {
    await client.query('CREATE TABLE strict (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)')
    const write = withToken(client, 'strict', 5n, tx => tx.query('INSERT INTO strict VALUES (1), (1)'))
    await expect(write).rejects.toMatchObject({ code: '23505' })
    expect(await kept('strict')).toBeUndefined()
  })

  it('the classic story: A stands still, B writes, A wakes and is refused', async () => {
    await client.query('TRUNCATE journal')
    await withToken(client, 'classic', 33n, insert('A'))
    await withToken(other, 'classic', 34n, insert('B'))
    await expect(withToken(client, 'classic', 33n, insert('A, late'))).rejects.toThrow(StaleToken)
    expect(await journal()).toEqual(['A', 'B'])
  })

  /** Work that stands still in the middle of its transaction: `inside` when it is there, `wake` lets it go on. */
  const standStill = (work: (tx: pg.Client) => Promise<unknown>) => {
    let wake = () => {}
    let arrive = () => {}
    const awake = new Promise<void>(resolve => {
      wake = resolve
    })
    const inside = new Promise<void>(resolve => {
      arrive = resolve
    })
    const slow = async (tx: pg.Client) => {
      arrive()
      await awake
      await work(tx)
    }
    return { slow, inside, wake }
  }

  it('A stands still inside its transaction: B waits for its end, so the writes are in order', async () => {
    await client.query('TRUNCATE journal')
    const { slow, inside, wake } = standStill(insert('A'))
    const first = withToken(client, 'inside', 1n, slow)
    await inside
    let bobWrote = false
    const next = withToken(other, 'inside', 2n, async tx => {
      bobWrote = true
      await insert('B')(tx)
    })
    await sleep(200)
    expect(bobWrote).toBe(false)
    wake()
    await Promise.all([first, next])
    expect(await journal()).toEqual(['A', 'B'])
    await expect(withToken(client, 'inside', 1n, insert('A, late'))).rejects.toThrow(StaleToken)
  })

  it('A stands still inside its transaction for too long: the server ends it, and B goes on', async () => {
    await client.query('TRUNCATE journal')
    const { slow, inside, wake } = standStill(insert('A'))
    const first = withToken(await connect(), 'too long', 1n, slow, { idleTimeout: 100 })
    const failed = expect(first).rejects.toThrow()
    await inside
    await withToken(other, 'too long', 2n, insert('B'))
    wake()
    await failed
    expect(await journal()).toEqual(['B'])
  })

  it('a smaller token that waits behind a larger one is refused when its turn comes', async () => {
    const { slow, inside, wake } = standStill(insert('larger'))
    const first = withToken(client, 'behind', 2n, slow)
    await inside
    const late = withToken(other, 'behind', 1n, insert('never'))
    const refused = expect(late).rejects.toThrow(StaleToken)
    await sleep(100)
    wake()
    await first
    await refused
  })

  it.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])(
    'accepts growing tokens only, with six connections at once (%s)',
    async level => {
      await client.query('TRUNCATE journal')
      const resource = `storm ${level}`
      let refused = 0
      const storm = async (writer: number) => {
        const each = await connect()
        await each.query(`SET default_transaction_isolation = '${level}'`)
        for (let round = 0; round < 40; round++) {
          const token = BigInt(round + Math.floor(Math.random() * 6) + writer)
          await withToken(each, resource, token, insert(String(token))).catch(error => {
            // Above READ COMMITTED the database may ask for another try, as it may of any transaction.
            if (!(error instanceof StaleToken) && error.code !== '40001') throw error
            refused++
          })
        }
        await each.end()
      }
      await Promise.all([0, 1, 2, 3, 4, 5].map(storm))
      // The row lock lasts from the decision to the end, so ids were drawn in the order of the commits.
      const tokens = (await journal()).map(BigInt)
      for (const [place, token] of tokens.entries()) if (place > 0) expect(token >= tokens[place - 1]!).toBe(true)
      expect(tokens.length).toBeGreaterThan(10)
      expect(refused).toBeGreaterThan(10)
    },
  )

  it('is there for any language: coterie_guard in plain SQL', async () => {
    await client.query(`SELECT coterie_guard('plain', 7)`)
    await client.query(`SELECT coterie_guard('plain', 7)`)
    const late = client.query(`SELECT coterie_guard('plain', 6)`)
    await expect(late).rejects.toMatchObject({ code: STALE_TOKEN_SQLSTATE })
    expect(staleToken(await late.catch(error => error))).toMatchObject({ resource: 'plain', token: 6n, seen: 7n })
    expect(staleToken(new Error('something else'))).toBeUndefined()
    await expect(client.query(`SELECT coterie_guard('plain', NULL)`)).rejects.toMatchObject({ code: '22004' })
    await expect(client.query(`SELECT coterie_guard(NULL, 8)`)).rejects.toMatchObject({ code: '22004' })
    await expect(client.query(`SELECT coterie_guard('plain', -1)`)).rejects.toMatchObject({ code: '23514' })
    await expect(client.query(`SELECT coterie_guard('fresh', -1)`)).rejects.toMatchObject({ code: '23514' })
    expect(await kept('plain')).toBe('7')
  })

  it('guards a whole table by a trigger: no write without a token, no stale one', async () => {
    await client.query(`
      CREATE TABLE stock (amount integer);
      CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON stock
      FOR EACH STATEMENT EXECUTE FUNCTION coterie_guard_trigger('stock')`)
    const missing = { code: MISSING_TOKEN_SQLSTATE }
    await expect(client.query('INSERT INTO stock VALUES (1)')).rejects.toMatchObject(missing)
    await withToken(client, 'stock', 5n, tx => tx.query('INSERT INTO stock VALUES (1)'))
    await withToken(other, 'stock', 6n, tx => tx.query('UPDATE stock SET amount = 2'))
    // The token ended with its transaction.
    await expect(other.query('TRUNCATE stock')).rejects.toMatchObject(missing)
    await expect(other.query('DELETE FROM stock')).rejects.toMatchObject(missing)
    // Somebody who asks the guard about another resource does not get by the trigger.
    const around = withToken(client, 'elsewhere', 5n, tx => tx.query('UPDATE stock SET amount = 3'))
    await expect(around).rejects.toMatchObject({ name: 'StaleToken', resource: 'stock', token: 5n, seen: 6n })
    expect((await client.query('SELECT amount FROM stock')).rows).toEqual([{ amount: 2 }])
  })

  it('installs twice, at once, and in a schema with any name; tokens stay', async () => {
    const schema = 'odd "name'
    await Promise.all([installGuard(client, { schema }), installGuard(other, { schema })])
    await withToken(client, 'kept', 5n, async () => {}, { schema })
    await installGuard(client, { schema })
    await expect(withToken(client, 'kept', 4n, async () => {}, { schema })).rejects.toThrow(StaleToken)
    expect(await kept('kept')).toBeUndefined()
  })

  it('is not led astray by the caller’s search path', async () => {
    await withToken(client, 'path', 5n, async () => {})
    await other.query('CREATE TEMP TABLE coterie_tokens (resource text PRIMARY KEY, token bigint)')
    await expect(withToken(other, 'path', 4n, async () => {})).rejects.toThrow(StaleToken)
    await other.query('DROP TABLE pg_temp.coterie_tokens')
  })

  it('refuses a pool, bad tokens and bad names before it asks the database', async () => {
    const pool = new pg.Pool(server.config)
    await expect(withToken(pool as never, 'x', 1n, async () => {})).rejects.toThrow(SettingsError)
    await pool.end()
    await expect(withToken(client, 'x', -1n, async () => {})).rejects.toThrow(SettingsError)
    await expect(withToken(client, 'x', 1n, async () => {}, { idleTimeout: 0.5 })).rejects.toThrow(SettingsError)
    await expect(withToken(client, 'a\0b', 1n, async () => {})).rejects.toThrow(SettingsError)
    await expect(installGuard(client, { schema: '' })).rejects.toThrow(SettingsError)
    await withToken(client, 'ä'.repeat(RESOURCE_BYTES_MAX / 2), 1n, async () => {})
  })

  it('the example tells the story', async () => {
    const example = run(process.execPath, [await bundle('examples/fenced-postgres.ts')], server.environment)
    expect([await example.ended, example.errors()]).toEqual([0, ''])
    expect(example.output().trim().split('\n')).toEqual([
      'alice sold 1',
      'alice wakes; does she still hold the lock? false',
      'bob sold 2; his token is larger: true',
      'alice is refused: StaleToken, did not happen',
      'chairs left: 7',
    ])
  })
})
