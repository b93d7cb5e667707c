// The HTTP guard as a hook of Fastify 5.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import {
  checkHttpOptions,
  type HttpGuardOptions,
  isProblem,
  type Problem,
  problemHeaders,
  problemOf,
  readDemand,
  untilAnswered,
} from './http.ts'

/** What the hook uses of Fastify's request and reply. */
export interface FastifyRequestLike {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}
/** As much of Fastify's reply as the guard uses. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(payload: string): unknown
}

/**
 * For one route, `{ preHandler: fastifyGuard({ guard, resource: 'stock' }) }`, or for all of an instance,
 * `app.addHook('preHandler', …)`. It runs after the body was read: a slow upload must not hold the resource.
 */
export function fastifyGuard<R extends FastifyRequestLike = FastifyRequestLike>(options: HttpGuardOptions<R>) {
  checkHttpOptions('fastifyGuard', options as HttpGuardOptions<never>)
  return async (request: R, reply: FastifyReplyLike): Promise<unknown> => {
    const demand = readDemand(request, options)
    if (demand === undefined) return undefined
    if (isProblem(demand)) return answer(reply, demand)
    try {
      await new Promise<void>((proceed, refuse) => {
        const turn = options.guard.run(demand.resource, demand.token, () => untilAnswered(reply.raw, proceed))
        turn.catch(refuse)
      })
      return undefined
    } catch (error) {
      const problem = problemOf(error)
      if (problem === undefined) throw error
      return answer(reply, problem)
    }
  }
}

function answer(reply: FastifyReplyLike, problem: Problem): FastifyReplyLike {
  reply.code(problem.status)
  reply.headers(problemHeaders(problem))
  reply.send(JSON.stringify(problem))
  return reply
}
