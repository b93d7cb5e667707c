// A guard for any HTTP resource: the request carries the token, and the server refuses a smaller one.
//
//   Coterie-Token: 1763230000000000          the token in decimal
//   Coterie-Resource: stock%2F7              optional: what the client believes it writes to, percent-encoded
//
// | answer | when |
// |---|---|
// | 409 | a larger token has passed: the write did not happen |
// | 428 | a write without a token |
// | 400 | a token that is none, or another resource than the client believes |
// | 503 | too many requests wait for this resource |
//
// The server says what the resource is, never the client: who may name it freely walks around the guard.
// A token is no proof of identity. Who may send any number can shut everyone else out with the largest: put the guard behind
// whatever decides who may write.
//
// The decision and the handler are one step: the next request for the resource waits until the handler has answered.
// So a handler writes first and answers then.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { listOf, objectWith, optionsSchema, type Rule, required, textOf, Unavailable } from '../core/index.ts'
import { checkToken, isResource, parseToken, RESOURCE_BYTES_MAX, type Token } from './decision.ts'
import { StaleToken } from './errors.ts'
import type { Guard } from './guard.ts'

/** The header that carries the token. */
export const TOKEN_HEADER = 'coterie-token'
/** The header that names the resource. */
export const RESOURCE_HEADER = 'coterie-resource'
export const PROBLEM_TYPE = 'application/problem+json'

/** These change nothing (RFC 9110, 9.2.1), so they need no token. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
/** Percent-encoding makes three characters of a byte. */
const RESOURCE_HEADER_MAX = RESOURCE_BYTES_MAX * 3
/** RFC 9110 counts in whole seconds. */
const RETRY_AFTER_S = 1

/** Which guard decides, and what each request is about. */
export interface HttpGuardOptions<Request> {
  /** Share one guard between all routes that write to the same resources: each has its own line. */
  readonly guard: Guard
  /** What a request writes to. One lock, one resource: only tokens of one lock can be compared. */
  readonly resource: string | ((request: Request) => string)
  /** Which methods need no token. Default GET, HEAD, OPTIONS and TRACE. */
  readonly safeMethods?: readonly string[]
}

const RESOURCE: Rule = {
  must: 'a name as text, or a function that finds it in the request',
  fits: value => typeof value === 'function' || (typeof value === 'string' && isResource(value)),
}

/** At the call: a guard that is none would let every request fail, one by one. */
export const checkHttpOptions = optionsSchema<HttpGuardOptions<never>>({
  guard: required(objectWith(['run'], 'a guard, such as createGuard(memoryTokens())')),
  resource: required(RESOURCE),
  safeMethods: listOf(textOf('a method'), 'methods, such as GET'),
})

/** A problem as RFC 9457 writes it. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly [extension: string]: unknown
}

/** What a request asks of the guard. */
export interface Demand {
  readonly resource: string
  readonly token: bigint
}

/** The headers of a fenced request. `resource`: the server then refuses where it would write to another. */
export function tokenHeaders(lease: { readonly token: Token }, resource?: string): Record<string, string> {
  const headers = { [TOKEN_HEADER]: checkToken(lease?.token).toString() }
  return resource === undefined ? headers : { ...headers, [RESOURCE_HEADER]: encodeURIComponent(resource) }
}

const demands = new WeakMap<object, Demand>()

/** In a handler behind a guard: the token it was let pass with, to hand on to the database. */
export function tokenOf(request: object): bigint | undefined {
  return demands.get(request)?.token
}

interface RequestLike {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** Undefined: this request needs no token. Throws only what `resource` of the options throws. */
export function readDemand<R extends RequestLike>(
  request: R,
  options: HttpGuardOptions<R>,
): Demand | Problem | undefined {
  const { method = 'GET', headers } = request
  const safe = options.safeMethods ?? SAFE_METHODS
  if (new Set(safe).has(method)) return undefined
  const resource = typeof options.resource === 'string' ? options.resource : options.resource(request)
  if (!isResource(resource)) return malformed(`The resource's name has 1 to ${RESOURCE_BYTES_MAX} bytes.`)
  const text = headers[TOKEN_HEADER]
  if (text === undefined) return missing(resource)
  // The header twice arrives as one text with a comma, and is refused with it.
  const token = typeof text === 'string' ? parseToken(text) : undefined
  if (token === undefined) return malformed('Coterie-Token is one whole decimal number that fits in 63 bits.')
  if (!believes(headers[RESOURCE_HEADER], resource)) {
    return malformed('Coterie-Resource names another resource than this request writes to.')
  }
  const demand = { resource, token }
  demands.set(request, demand)
  return demand
}

export function isProblem(what: Demand | Problem): what is Problem {
  return 'status' in what
}

function believes(header: string | string[] | undefined, resource: string): boolean {
  if (header === undefined) return true
  if (typeof header !== 'string' || header.length > RESOURCE_HEADER_MAX) return false
  try {
    return decodeURIComponent(header) === resource
  } catch {
    return false
  }
}

function malformed(detail: string): Problem {
  return { type: 'urn:coterie:malformed-token', title: 'Malformed token', status: 400, detail }
}

function missing(resource: string): Problem {
  const detail = `Writes to '${resource}' need the header Coterie-Token: the token of the lease.`
  return { type: 'urn:coterie:missing-token', title: 'Token required', status: 428, detail }
}

/** What a guard's refusal is to an HTTP client; undefined for errors that are none. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof StaleToken) {
    const { resource, outcome, message: detail } = error
    const numbers = { token: error.token.toString(), seen: error.seen.toString() }
    return { type: 'urn:coterie:stale-token', title: 'Stale token', status: 409, detail, resource, outcome, ...numbers }
  }
  if (error instanceof Unavailable) {
    const { outcome, message: detail } = error
    return { type: 'urn:coterie:busy', title: 'Busy', status: 503, detail, outcome }
  }
  return undefined
}

export function problemHeaders({ status }: Problem): Record<string, string> {
  const headers = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' }
  return status === 503 ? { ...headers, 'retry-after': String(RETRY_AFTER_S) } : headers
}

/**
 * Lets a handler go on, and resolves when it has answered. A client that hangs up does not end the handler's turn:
 * the handler goes on, and may still write. Only one whose client hung up while it waited does not start at all.
 */
export function untilAnswered(response: ServerResponse, proceed: () => void): Promise<void> {
  if (response.destroyed || response.writableEnded) return Promise.resolve()
  return new Promise(resolve => {
    const { end, destroy } = response
    response.end = ((...args: Parameters<typeof end>) => {
      resolve()
      return end.apply(response, args)
    }) as typeof end
    response.destroy = error => {
      resolve()
      return destroy.call(response, error)
    }
    // It had begun to answer, so it has written.
    response.once('close', () => {
      if (response.headersSent) resolve()
    })
    proceed()
  })
}
