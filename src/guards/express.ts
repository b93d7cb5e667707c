// The HTTP guard as middleware: Express 4 and 5, Connect, and by hand with node:http.

import type { IncomingMessage, ServerResponse } from 'node:http'
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

/** A middleware of Express, Connect and alike. */
export type Middleware<R> = (request: R, response: ServerResponse, next: (error?: unknown) => void) => void

/** `app.use('/stock', expressGuard({ guard, resource: 'stock' }))`. Put it after what reads the body: a slow upload must not hold the resource. */
export function expressGuard<R extends IncomingMessage = IncomingMessage>(options: HttpGuardOptions<R>): Middleware<R> {
  checkHttpOptions('expressGuard', options as HttpGuardOptions<never>)
  return (request, response, next) => {
    const demand = readDemand(request, options)
    if (demand === undefined) return next()
    if (isProblem(demand)) return answer(response, demand)
    const turn = options.guard.run(demand.resource, demand.token, () => untilAnswered(response, next))
    turn.catch(error => {
      const problem = problemOf(error)
      if (problem === undefined) next(error)
      else answer(response, problem)
    })
  }
}

function answer(response: ServerResponse, problem: Problem): void {
  response.writeHead(problem.status, problemHeaders(problem)).end(JSON.stringify(problem))
}
