// Guards: what a lock protects refuses a smaller token (`coterie/guards`).

export { type Decision, decide, parseToken, RESOURCE_BYTES_MAX, TOKEN_MAX, type Token } from './decision.ts'
export { StaleToken, WriteUncertain } from './errors.ts'
export { expressGuard, type Middleware } from './express.ts'
export { type FastifyReplyLike, type FastifyRequestLike, fastifyGuard } from './fastify.ts'
export { type FileGuard, type FileState, type FileWriteOptions, fileGuard } from './file.ts'
export { fileTokens } from './file-tokens.ts'
export { createGuard, type Guard } from './guard.ts'
export { type HttpGuardOptions, type Problem, RESOURCE_HEADER, TOKEN_HEADER, tokenHeaders, tokenOf } from './http.ts'
export { NotCommitted, staleToken, type TokenOptions, withToken } from './postgres.ts'
export {
  installationSql,
  installGuard,
  MISSING_TOKEN_SQLSTATE,
  type PostgresClient,
  type PostgresOptions,
  STALE_TOKEN_SQLSTATE,
} from './postgres-install.ts'
export { memoryTokens, type TokenStore } from './store.ts'
