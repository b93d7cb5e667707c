// A guard in PostgreSQL: the token is decided upon in the transaction that writes, under a row lock that lasts until its
// end. So the decision and the write are one step, for any number of processes, machines and languages, and what a
// guard has let pass survives whatever the database survives.
//
// The story: A holds token 1 and stands still. Its lease ends, B gets token 2 and writes. A wakes and writes: its
// transaction finds 2 in coterie_tokens and is refused before its work begins. Had A begun first, B's transaction would
// have waited for A's to end: then both writes were in order.

import { anything, CoterieError, called, checkValue, optionsSchema, SettingsError, textOf } from '../core/index.ts'
import { checkResource, checkToken, type Token } from './decision.ts'
import { StaleToken, WriteUncertain } from './errors.ts'
import { type PostgresClient, type PostgresOptions, quotedSchema, STALE_TOKEN_SQLSTATE } from './postgres-install.ts'

/** The transaction ended without its writes: a statement in it had failed, and its error was swallowed. */
export class NotCommitted extends CoterieError {
  override readonly name = 'NotCommitted'
  readonly outcome = 'did not happen'
}

/** Where the guard lives, and how long a transaction may be idle. */
export interface TokenOptions extends PostgresOptions {
  /**
   * After how many milliseconds without a statement the server ends the transaction. A holder that stands still
   * inside it keeps everybody else waiting until then. Default: the database's idle_in_transaction_session_timeout.
   */
  readonly idleTimeout?: number
}

const IDLE_TIMEOUT_MAX_MS = 2 ** 31 - 1

// What an idle time and a schema may be is said where they are used, with the database's words.
const checkOptions = optionsSchema<TokenOptions>({ schema: textOf('the name of a schema'), idleTimeout: anything })
const WORK = called('that writes in the transaction')

/**
 * Runs `work` in a transaction that holds `resource` with `token`. Where a larger token has passed it throws
 * StaleToken, and `work` does not run. Whatever `work` throws rolls everything back, the token too.
 *
 * `client` is one connection, not a pool and not in a transaction yet: this one must begin and end on it. At the isolation levels above READ
 * COMMITTED the database may answer with a serialization failure (40001), as for any transaction there.
 */
export async function withToken<C extends PostgresClient, T>(
  client: C,
  resource: string,
  given: Token,
  work: (tx: C) => Promise<T>,
  options: TokenOptions = {},
): Promise<T> {
  checkResource(resource)
  const token = checkToken(given)
  checkOptions('withToken', options)
  checkValue('work', WORK, work)
  checkConnection(client)
  const idle = checkIdle(options.idleTimeout)
  const guard = `${quotedSchema(options)}.coterie_guard`
  await client.query('BEGIN')
  let result: T
  try {
    if (idle !== undefined) await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idle}`)
    const values = [resource, token.toString()]
    await client.query(`SELECT ${guard}($1::text, $2::bigint), set_config('coterie.token', $2::text, true)`, values)
    result = await work(client)
  } catch (error) {
    // Where the connection is gone, the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw staleToken(error) ?? error
  }
  await commit(client, resource)
  return result
}

async function commit(client: PostgresClient, resource: string): Promise<void> {
  const answer = await client.query('COMMIT').catch(error => {
    if (saidNo(error)) throw error
    throw new WriteUncertain(resource, 'the connection was lost or the server stopped during COMMIT', error)
  })
  if (answer.command === 'ROLLBACK') {
    throw new NotCommitted(
      `nothing was written to '${resource}': a statement of the transaction had failed, and the database rolled it back.`,
    )
  }
}

/** The error of `coterie_guard` as a StaleToken; undefined for any other. Also useful around your own SQL. */
export function staleToken(error: unknown): StaleToken | undefined {
  if (sqlState(error) !== STALE_TOKEN_SQLSTATE) return undefined
  try {
    const { resource, token, seen } = JSON.parse((error as { detail: string }).detail)
    return new StaleToken(resource, BigInt(token), BigInt(seen))
  } catch {
    return undefined
  }
}

/** The server refused to commit (a deferred constraint). Connection lost, server stopped, internal errors: nobody knows. */
function saidNo(error: unknown): boolean {
  return !/^(?:08|40003|57|58|XX)/.test(sqlState(error) ?? 'XX')
}

/** SQLSTATEs have five characters and a digit among them; the codes of a broken connection (EPIPE, ECONNRESET) have none. */
function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : undefined
}

function checkIdle(idle: number | undefined): number | undefined {
  if (idle === undefined || (Number.isInteger(idle) && idle > 0 && idle <= IDLE_TIMEOUT_MAX_MS)) return idle
  throw new SettingsError(`idleTimeout is ${idle}; it must be a whole number of milliseconds above 0.`)
}

/** A pool sends each query over any of its connections: BEGIN and the write would not meet. */
function checkConnection(client: PostgresClient): void {
  if (!('totalCount' in client)) return
  throw new SettingsError(
    'withToken needs one connection: `const client = await pool.connect()`, and release it after.',
  )
}
