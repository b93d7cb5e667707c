// What the PostgreSQL guard puts into a database: a table with the largest token of each resource, a function that
// decides, and a trigger for tables that take fenced writes only. Any language that speaks SQL can use them.

import { optionsSchema, SettingsError, textOf } from '../core/index.ts'
import { RESOURCE_BYTES_MAX } from './decision.ts'

/** The least that a client must have: pg's Client and PoolClient do. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the caller's SQL makes them.
  query(text: string, values?: any[]): Promise<{ rows: any[]; command?: string }>
}

/** Where the guard lives in the database. */
export interface PostgresOptions {
  /** Where the table and the functions live. Default `public`. */
  readonly schema?: string
}

/** SQLSTATE of a stale token. Classes that begin with I to Z are free for applications, and PostgreSQL uses no ST. */
export const STALE_TOKEN_SQLSTATE = 'ST001'
/** SQLSTATE of a write without a token to a table with the trigger. */
export const MISSING_TOKEN_SQLSTATE = 'ST002'

const SCHEMA_DEFAULT = 'public'
/** PostgreSQL cuts longer names off without a word. */
const IDENTIFIER_BYTES_MAX = 63
/** So that two installations at once take turns: CREATE OR REPLACE fails where another one is under way. */
const INSTALL_LOCK = 0x636f7465

const checkOptions = optionsSchema<PostgresOptions>({ schema: textOf('the name of a schema') })

/** Makes the table and the functions, or brings them up to date. Doing it again does no harm; tokens stay. */
export async function installGuard(client: PostgresClient, options: PostgresOptions = {}): Promise<void> {
  checkOptions('installGuard', options)
  await client.query('BEGIN')
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${INSTALL_LOCK})`)
    await client.query(installationSql(options))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

export function quotedSchema({ schema = SCHEMA_DEFAULT }: PostgresOptions): string {
  const length = Buffer.byteLength(schema)
  if (length === 0 || length > IDENTIFIER_BYTES_MAX || schema.includes('\0')) {
    throw new SettingsError(`the schema is ${JSON.stringify(schema)}; a name has 1 to ${IDENTIFIER_BYTES_MAX} bytes.`)
  }
  return `"${schema.replaceAll('"', '""')}"`
}

/** The SQL that `installGuard` runs, for those who keep their migrations elsewhere. */
export function installationSql(options: PostgresOptions = {}): string {
  checkOptions('installationSql', options)
  const schema = quotedSchema(options)
  // The search path is pinned: a caller's own must not lead to another table of the same name.
  const pinned = `SET search_path = pg_catalog, ${schema}, pg_temp`
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};

CREATE TABLE IF NOT EXISTS ${schema}.coterie_tokens (
  resource text PRIMARY KEY CHECK (octet_length(resource) BETWEEN 1 AND ${RESOURCE_BYTES_MAX}),
  token bigint NOT NULL CHECK (token >= 0)
);

-- Lets a token pass, or raises ${STALE_TOKEN_SQLSTATE}. The row stays locked until the transaction ends, so what the transaction
-- writes is decided upon and written as one step. Call it in the same transaction, before the first write.
CREATE OR REPLACE FUNCTION ${schema}.coterie_guard(resource text, token bigint) RETURNS void
LANGUAGE plpgsql VOLATILE ${pinned} AS $guard$
DECLARE
  seen bigint;
BEGIN
  -- A comparison with NULL is neither true nor false, and must not pass as either.
  IF $1 IS NULL OR $2 IS NULL THEN
    RAISE EXCEPTION 'coterie_guard needs a resource and a token' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  INSERT INTO ${schema}.coterie_tokens AS kept (resource, token) VALUES ($1, $2)
    ON CONFLICT ON CONSTRAINT coterie_tokens_pkey DO UPDATE SET token = EXCLUDED.token WHERE kept.token <= EXCLUDED.token;
  IF NOT FOUND THEN
    SELECT kept.token INTO seen FROM ${schema}.coterie_tokens AS kept WHERE kept.resource = $1;
    RAISE EXCEPTION 'stale token: % has seen token %, and % is smaller', quote_literal($1), seen, $2
      USING ERRCODE = '${STALE_TOKEN_SQLSTATE}', DETAIL = json_build_object('resource', $1, 'token', $2::text, 'seen', seen::text),
      HINT = 'Take the lock again, read afresh, and write with the new token.';
  END IF;
END
$guard$;

-- For tables that take fenced writes only:
--   CREATE TRIGGER fenced BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON stock
--   FOR EACH STATEMENT EXECUTE FUNCTION coterie_guard_trigger('stock');
-- The writer's transaction says SELECT set_config('coterie.token', '42', true) first; withToken does.
CREATE OR REPLACE FUNCTION ${schema}.coterie_guard_trigger() RETURNS trigger
LANGUAGE plpgsql VOLATILE ${pinned} AS $guard$
DECLARE
  given text := nullif(current_setting('coterie.token', true), '');
BEGIN
  IF given IS NULL THEN
    RAISE EXCEPTION '% takes fenced writes only, and this one has no token', TG_TABLE_NAME
      USING ERRCODE = '${MISSING_TOKEN_SQLSTATE}', HINT = 'Write in withToken, or set coterie.token in the transaction.';
  END IF;
  PERFORM ${schema}.coterie_guard(TG_ARGV[0], given::bigint);
  RETURN NULL;
END
$guard$;
`
}
