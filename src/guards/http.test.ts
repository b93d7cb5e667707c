// The HTTP guard with real servers: Fastify and Express over localhost, one suite of cases for both.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { embedded } from 'coterie'
import express from 'express'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TOKEN_MAX } from './decision.ts'
import { expressGuard } from './express.ts'
import { fastifyGuard } from './fastify.ts'
import { createGuard, type Guard } from './guard.ts'
import { tokenHeaders, tokenOf } from './http.ts'
import { memoryTokens } from './store.ts'

/** What a handler does with a request's body; the same behind both servers. */
type Handle = (body: string, token: bigint | undefined) => Promise<string>
interface Running {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}
type Start = (handle: Handle, guard: Guard) => Promise<Running>

const startFastify: Start = async (handle, guard) => {
  const app = fastify()
  const preHandler = fastifyGuard<{ url: string } & Parameters<ReturnType<typeof fastifyGuard>>[0]>({
    guard,
    resource: request => request.url.slice(1),
  })
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.get('/stock', async () => 'read')
  app.put('/*', { preHandler }, request => handle(String(request.body), tokenOf(request)))
  app.setErrorHandler((error, _request, reply) => reply.code(500).send(String(error)))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    server: app.server,
    close: () => {
      app.server.closeAllConnections()
      return app.close()
    },
  }
}

const startExpress: Start = async (handle, guard) => {
  const app = express()
  app.use(express.text({ type: '*/*' }))
  app.use(expressGuard<express.Request>({ guard, resource: request => request.path.slice(1) }))
  app.get('/stock', (_request, response) => void response.send('read'))
  app.put('/*path', async (request, response) => void response.send(await handle(request.body, tokenOf(request))))
  const failed: express.ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(500).send(String(error))
  }
  app.use(failed)
  return listen(createServer(app))
}

async function listen(server: Server): Promise<Running> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, close }
}

/** Long enough for any machine: what is waited for comes at once on most. */
const WAITING = { timeout: 30_000, interval: 5 }

describe.each([
  ['Fastify', startFastify],
  ['Express', startExpress],
])('the HTTP guard in %s', (_name, start) => {
  let running: Running
  let written: string[]
  /** Bodies that wait here before they are written. */
  let holdups: Map<string, Promise<void>>

  const handle: Handle = async (body, token) => {
    await holdups.get(body)
    if (body === 'fail') throw new Error('on purpose')
    written.push(body)
    return `token ${token}`
  }
  const put = (body: string, headers: Record<string, string> = {}, more: RequestInit = {}) =>
    fetch(`${running.url}/stock`, {
      method: 'PUT',
      body,
      headers: { 'content-type': 'text/plain', ...headers },
      ...more,
    })
  const fenced = (token: bigint, body: string, more: RequestInit = {}) => put(body, tokenHeaders({ token }), more)
  /** Holds the handler of this body up, until the function it returns is called. */
  const holdUp = (body: string) => {
    let go = () => {}
    holdups.set(
      body,
      new Promise(resolve => {
        go = resolve
      }),
    )
    return go
  }

  /** Requests that have come to the guard, and clients that the server knows to have hung up. */
  let [asked, hungUp] = [0, 0]
  const come = (count: number) => vi.waitFor(() => expect(asked).toBe(count), WAITING)
  const gone = (count: number) => vi.waitFor(() => expect(hungUp).toBe(count), WAITING)

  beforeEach(async () => {
    written = []
    holdups = new Map()
    ;[asked, hungUp] = [0, 0]
    const guard = createGuard(memoryTokens(), 2)
    const counting: Guard = {
      run(resource, token, work) {
        asked++
        return guard.run(resource, token, work)
      },
    }
    running = await start(handle, counting)
    running.server.on('request', (_request, response) =>
      response.once('close', () => {
        if (!response.writableFinished) hungUp++
      }),
    )
  })
  afterEach(() => running.close())

  it('lets growing and equal tokens pass, and tells the handler the token', async () => {
    for (const token of [5n, 5n, 6n, TOKEN_MAX]) {
      const answer = await fenced(token, String(token))
      expect([answer.status, await answer.text()]).toEqual([200, `token ${token}`])
    }
    expect(written).toEqual(['5', '5', '6', String(TOKEN_MAX)])
  })

  it('409: a stale token, with a problem that says what was seen', async () => {
    await fenced(6n, 'new')
    const answer = await fenced(5n, 'old')
    expect(answer.status).toBe(409)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    const problem = { type: 'urn:coterie:stale-token', status: 409, resource: 'stock', token: '5', seen: '6' }
    expect(await answer.json()).toMatchObject({ ...problem, outcome: 'did not happen' })
    expect(written).toEqual(['new'])
  })

  it('428: a write without a token', async () => {
    const answer = await put('x')
    expect(answer.status).toBe(428)
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(await answer.json()).toMatchObject({ type: 'urn:coterie:missing-token' })
    expect(written).toEqual([])
  })

  it.each(['', 'x', '-1', '1.5', '007', '0x10', '1, 2', `${TOKEN_MAX + 1n}`, '9'.repeat(4_000)])(
    '400: the token %j',
    async token => {
      const answer = await put('x', { 'coterie-token': token })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ type: 'urn:coterie:malformed-token' })
      expect(written).toEqual([])
    },
  )

  it('400: the client believes that it writes elsewhere', async () => {
    for (const resource of ['other', 'stoc', '%E0%A4%A', 'x'.repeat(4_000)]) {
      const answer = await put('x', { 'coterie-token': '5', 'coterie-resource': resource })
      expect(answer.status).toBe(400)
    }
    expect((await put('right', tokenHeaders({ token: 5n }, 'stock'))).status).toBe(200)
    expect(written).toEqual(['right'])
  })

  it('keeps resources apart, and lets reads pass without a token', async () => {
    await fenced(9n, 'stock')
    const other = await fetch(`${running.url}/chairs`, {
      method: 'PUT',
      body: 'chairs',
      headers: { 'content-type': 'text/plain', ...tokenHeaders({ token: 1n }) },
    })
    expect(other.status).toBe(200)
    expect(await (await fetch(`${running.url}/stock`)).text()).toBe('read')
  })

  it('a handler that was let pass and stands still: the next waits, so the writes are in order', async () => {
    const go = holdUp('slow')
    const slow = fenced(1n, 'slow')
    await come(1)
    const next = fenced(2n, 'next')
    await come(2)
    expect(written).toEqual([])
    go()
    expect([(await slow).status, (await next).status]).toEqual([200, 200])
    expect(written).toEqual(['slow', 'next'])
    expect((await fenced(1n, 'late')).status).toBe(409)
  })

  it('a client that hangs up does not end its handler’s turn', async () => {
    const go = holdUp('slow')
    const hangUp = new AbortController()
    const slow = fenced(1n, 'slow', { signal: hangUp.signal }).catch(error => error.name)
    await come(1)
    hangUp.abort()
    expect(await slow).toBe('AbortError')
    await gone(1)
    const next = fenced(2n, 'next')
    await come(2)
    expect(written).toEqual([])
    go()
    expect((await next).status).toBe(200)
    expect(written).toEqual(['slow', 'next'])
  })

  it('a client that hangs up while it waits is not served', async () => {
    const go = holdUp('slow')
    const slow = fenced(1n, 'slow')
    await come(1)
    const hangUp = new AbortController()
    const left = fenced(1n, 'gone', { signal: hangUp.signal }).catch(error => error.name)
    await come(2)
    hangUp.abort()
    await left
    await gone(1)
    go()
    expect((await slow).status).toBe(200)
    expect((await fenced(1n, 'last')).status).toBe(200)
    expect(written).toEqual(['slow', 'last'])
  })

  it('a handler that fails ends its turn', async () => {
    expect((await fenced(1n, 'fail')).status).toBe(500)
    expect((await fenced(1n, 'next')).status).toBe(200)
  })

  it('503: too many wait for one resource', async () => {
    const go = holdUp('slow')
    const held = [fenced(1n, 'slow'), fenced(1n, 'second')]
    await come(2)
    const answer = await fenced(1n, 'third')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    go()
    for (const each of held) expect((await each).status).toBe(200)
    expect(written.sort()).toEqual(['second', 'slow'])
  })

  it('the story: a holder whose lease has ended is refused', async () => {
    await using group = await embedded()
    const first = await group.lock('stock', { ttl: 100, renew: false })
    const second = await group.lock('stock', { timeout: 5_000 })
    expect((await put('bob', tokenHeaders(second))).status).toBe(200)
    expect((await put('alice', tokenHeaders(first))).status).toBe(409)
    expect(written).toEqual(['bob'])
  })
})
