// What strangers and bad members try, over real sockets. After each attack the node still serves an honest client that
// was connected before it, and the log says why the attacker was refused.

import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialTcp, dialTls, framed, header, hello, listenTls, welcome } from '../../../test/support/attacker.ts'
import { identityOf, type Recorder, recorder, type TlsBed, tlsBed, until } from '../../../test/support/transport.ts'
import { type Credentials, createAuthority, issueCertificate, validFor } from '../certificates/authority.ts'
import type { Address, TlsTransport } from './index.ts'

const LIMITS = { handshakeMs: 1_000, stallMs: 400, frameMs: 400, sweepMs: 40, clientsPerNameMax: 4 }
const FROM = /^127\.0\.0\.1:\d+$/
const LONG_AGO = new Date('2020-01-01T00:00:00Z')

let bed: TlsBed
let atServer: Recorder
let server: TlsTransport
let target: Address
let honest: TlsTransport
let mallory: Credentials

beforeEach(async () => {
  bed = await tlsBed()
  atServer = recorder()
  server = await bed.start('a', atServer, LIMITS)
  target = server.address!
  honest = await bed.start('Honest', recorder())
  mallory = await bed.credentials('Mallory')
  await until('the honest client is connected', () => honest.connected().length === 1)
})

afterEach(async () => {
  const before = atServer.frames.length
  honest.send('a', Buffer.from('still there?'))
  await until('the honest client is served', () => atServer.frames.length > before)
  expect(atServer.changes).not.toContain(`down ${honest.self}`)
  await bed.end()
})

async function refusedWith(reason: RegExp): Promise<void> {
  await until(`a refusal is logged like ${reason}: ${bed.log.refusals}`, () =>
    bed.log.refusals.some(why => reason.test(why)),
  )
}

/** Nothing that the attacker sent came through as a frame. */
function expectNothingHeard(): void {
  expect(atServer.frames.filter(({ from }) => from !== honest.self)).toEqual([])
}

describe('a stranger is refused before a byte of the protocol is read:', () => {
  it('random bytes instead of a handshake', async () => {
    const { socket, ended } = await dialTcp(target)
    socket.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'.repeat(50)))
    const from = `127.0.0.1:${socket.localPort}`
    await ended
    await refusedWith(/no TLS handshake/)
    expect(bed.log.strangers).toEqual([from])
  })

  it('a connection that says nothing', async () => {
    const { ended } = await dialTcp(target)
    await ended
    await refusedWith(/ERR_TLS_HANDSHAKE_TIMEOUT/)
    expect(bed.log.strangers).toEqual([expect.stringMatching(FROM)])
  })

  it.each([
    ['no certificate', async () => undefined, /certificate refused|PEER_DID_NOT_RETURN/],
    ['a foreign authority', foreign, /certificate refused: (UNABLE|SELF_SIGNED)/],
    ['an expired certificate', expired, /certificate refused: CERT_HAS_EXPIRED/],
    ['another group’s certificate', otherGroup, /for group 'zzzz'/],
  ])('%s', async (_, credentials, reason) => {
    const { socket, heard, ended } = dialTls(target, await credentials())
    socket.write(Buffer.concat([hello(), framed(Buffer.from('let me in'))]))
    await ended
    await refusedWith(reason)
    expect(bed.log.strangers).toEqual([expect.stringMatching(FROM)])
    expect(heard().length).toBe(0)
    expectNothingHeard()
  })

  it('TLS 1.2', async () => {
    const { ended } = dialTls(target, mallory, { maxVersion: 'TLSv1.2' })
    await ended
    await refusedWith(/UNSUPPORTED_PROTOCOL/)
  })

  it('a resumed session', async () => {
    const first = dialTls(target, mallory)
    const session = await new Promise<Buffer>(resolve => first.socket.once('session', resolve))
    first.socket.destroy()
    const second = dialTls(target, mallory, { session })
    second.socket.write(hello())
    await second.ended
    await refusedWith(/resumed session/)
    expectNothingHeard()
  })
})

async function foreign(): Promise<Credentials> {
  return issueCertificate(await createAuthority('test'), identityOf('Mallory'))
}

async function expired(): Promise<Credentials> {
  return issueCertificate(bed.authority, identityOf('Mallory'), { validity: validFor(30, LONG_AGO) })
}

async function otherGroup(): Promise<Credentials> {
  return issueCertificate(bed.authority, identityOf('Mallory', 'zzzz'))
}

describe('a false server is refused by who dials it:', () => {
  it.each([
    [
      'a foreign authority',
      async () => issueCertificate(await createAuthority('test'), identityOf('b')),
      /certificate refused/,
    ],
    ['another server’s certificate', async () => bed.credentials('e'), /dialled 'b', but .*server\/e answered/],
    [
      'a client’s certificate',
      async () => mallory,
      /certificate refused: INVALID_PURPOSE|but .*client\/mallory answered/,
    ],
    ['another group’s', async () => issueCertificate(bed.authority, identityOf('b', 'zzzz')), /for group 'zzzz'/],
  ])('%s', async (_, credentials, reason) => {
    let heard = 0
    const fake = await listenTls(await credentials(), bed.authority.certificate, socket => {
      socket.on('data', piece => {
        heard += piece.length
      })
    })
    server.learn('b', fake.address)
    server.send('b', Buffer.from('secret'))
    await refusedWith(reason)
    expect(heard).toBe(0)
    expect(server.dropped()['connection lost']).toBe(1)
    await fake.close()
  })

  it('one that speaks TLS 1.2 only', async () => {
    let secured = 0
    const old = { maxVersion: 'TLSv1.2' } as const
    const count = () => {
      secured++
    }
    const fake = await listenTls(await bed.credentials('b'), bed.authority.certificate, count, old)
    server.learn('b', fake.address)
    server.send('b', Buffer.from('secret'))
    await until('the dial failed', () => server.dropped()['connection lost'] === 1)
    expect(secured).toBe(0)
    expect(bed.log.unreached).toEqual([expect.stringMatching(/PROTOCOL/)])
    await fake.close()
  })

  it.each([
    ['random bytes for a welcome', Buffer.from('no such frame'.repeat(100)), /bytes is announced|not a greeting/],
    ['a hello for a welcome', hello(), /hello instead of welcome/],
    ['nothing for a welcome', Buffer.alloc(0), /no greeting in time/],
  ])('%s', async (_, answer, reason) => {
    const fake = await listenTls(await bed.credentials('b'), bed.authority.certificate, socket => socket.write(answer))
    server.learn('b', fake.address)
    server.send('b', Buffer.from('x'))
    await refusedWith(reason)
    expect(server.connected()).not.toContain('b')
    await fake.close()
  })
})

describe('a member that breaks the rules loses its connection and nothing else happens:', () => {
  it.each([
    ['an oversized greeting', () => header(513), /513 bytes is announced, 512 are allowed/],
    ['no hello', () => Buffer.alloc(0), /no greeting in time, before a hello/],
    ['half a hello, then silence', () => hello().subarray(0, 9), /half a frame, then silence, before a hello/],
    ['a valid frame of the wrong type for a hello', () => welcome, /welcome instead of hello/],
    ['no greeting at all', () => framed(Buffer.from([250, 1, 2])), /not a greeting: unknown kind/],
    [
      'a hello with a byte too many',
      () => framed(Buffer.concat([hello().subarray(4), Buffer.from([0])])),
      /1 bytes too many/,
    ],
    ['another version', () => hello({ version: 2 }), /speaks version 2/],
    ['another group in the hello', () => hello({ group: 'zzzz' }), /calls for group 'zzzz'/],
    ['a client that greets as a server', () => hello({ instance: '' }), /a client that greets as a server/],
    ['an instance that looks like a name', () => hello({ instance: '#a' }), /not 8 to 16 hexadecimal/],
  ])('%s', async (_, bytes, reason) => {
    const { socket, ended } = dialTls(target, mallory)
    socket.write(bytes())
    await ended
    await refusedWith(reason)
    expectNothingHeard()
    expect(atServer.changes).toEqual([`up ${honest.self}`])
  })

  it('a second process with the certificate of the very server that it dials', async () => {
    const { socket, heard, ended } = dialTls(target, await bed.credentials('a'))
    socket.write(hello({ instance: '' }))
    await ended
    await refusedWith(/uses our own name, 'a'/)
    expect(heard().toString()).toContain('uses our own name')
  })

  it.each([
    ['an oversized frame', () => header((16 << 20) + 1), /16777217 bytes is announced/],
    [
      'half a frame, then silence',
      () => Buffer.concat([header(1000), Buffer.alloc(500)]),
      /half a frame, then silence/,
    ],
    ['a frame in drops', () => header(1 << 20), /half a frame, then silence/],
  ])('%s', async (what, bytes, reason) => {
    const { socket, ended } = dialTls(target, mallory)
    socket.write(Buffer.concat([hello(), framed(Buffer.from('fine')), bytes()]))
    const drops = setInterval(() => what.endsWith('drops') && socket.write('.'), 20)
    await ended
    clearInterval(drops)
    await refusedWith(reason)
    expect(atServer.changes.slice(1)).toEqual(['up mallory#00000000deadbeef', 'down mallory#00000000deadbeef'])
  })

  it('a peer that never reads: bounded memory, then no connection', async () => {
    const id = 'mallory#00000000deadbeef'
    const { socket, ended } = dialTls(target, mallory)
    socket.write(hello())
    await until('it is up', () => atServer.changes.includes(`up ${id}`))
    socket.pause()
    const before = process.memoryUsage()
    const frame = new Uint8Array(100_000)
    const flood = setInterval(() => {
      for (let i = 0; i < 100; i++) server.send(id, frame)
    }, 5)
    await refusedWith(/the peer does not read/)
    clearInterval(flood)
    const after = process.memoryUsage()
    expect(server.dropped()['queue full']).toBeGreaterThan(100)
    // The queue is 20 MiB; hundreds were sent. What is freed when, is the collector’s business.
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(80 << 20)
    socket.resume()
    await ended
  })

  it('a certificate that runs out while it is connected', async () => {
    const soon = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 1_500) }
    const brief = await issueCertificate(bed.authority, identityOf('Mallory'), { validity: soon })
    const { socket, ended } = dialTls(target, brief)
    socket.write(hello())
    await until('it is up', () => atServer.changes.length === 2)
    await ended
    await refusedWith(/the certificate has expired/)
  })
})

describe('numbers are bounded:', () => {
  it('processes of one client, who are told so', async () => {
    const many = Array.from({ length: 6 }, (_, i) => {
      const one = dialTls(target, mallory)
      one.socket.write(hello({ instance: `0000000${i}` }))
      return one
    })
    await refusedWith(/client 'mallory' has 4 connections already/)
    await until('four are up', () => atServer.changes.length === 5)
    await until(
      'two were told',
      () => many.filter(one => /has 4 connections/.test(one.heard().toString())).length === 2,
    )
    for (const { socket } of many) socket.destroy()
  })

  it('connections of one process: the oldest gives way', async () => {
    const many = Array.from({ length: 4 }, () => {
      const one = dialTls(target, mallory)
      one.socket.write(hello())
      return one
    })
    await Promise.race(many.map(one => one.ended))
    expect(atServer.changes).toEqual([`up ${honest.self}`, 'up mallory#00000000deadbeef'])
    for (const { socket } of many) socket.destroy()
  })

  it('TCP connections', async () => {
    const narrow = await bed.start('b', recorder(), { ...LIMITS, clientsMax: 1, handshakesMax: 2 })
    const many = await Promise.all(Array.from({ length: 6 }, () => dialTcp(narrow.address!)))
    await refusedWith(/too many connections/)
    await Promise.all(many.map(one => one.ended))
  })
})

describe('words that are much work', () => {
  const WORDS = 1_000
  /** Every word of hers is a millisecond of work. When the honest client says something, how many were done. */
  async function busyServer() {
    const done = { words: 0, whenHonest: [] as number[] }
    const busy = await bed.start('d', {
      ...recorder(),
      frame(from) {
        if (!from.startsWith('mallory')) {
          done.whenHonest.push(done.words)
          return
        }
        const until = performance.now() + 1
        while (performance.now() < until);
        if (++done.words === 1) honest.send('d', Buffer.from('and me?'))
      },
    })
    return { done, busy }
  }

  it('leave the others their turn, and are all heard', async () => {
    const { done, busy } = await busyServer()
    const { socket, heard } = dialTls(busy.address!, mallory)
    socket.write(hello())
    await until('she is let in', () => heard().length > 0)
    socket.write(Buffer.concat(Array.from({ length: WORDS }, () => framed(Buffer.from('much')))))
    await until('all is done', () => done.words === WORDS && done.whenHonest.length === 1)
    expect(done.whenHonest[0]).toBeLessThan(WORDS / 2)
    // And she is read on.
    socket.write(framed(Buffer.from('more')))
    await until('she is heard again', () => done.words === WORDS + 1)
    socket.destroy()
  })
  it('have one share, over however many connections they come', async () => {
    const CONNECTIONS = 4
    const EACH = 25
    let round = 0
    let done = 0
    const inRound = new Map<number, number>()
    const busy = await bed.start(
      'e',
      {
        ...recorder(),
        frame() {
          const until = performance.now() + 2
          while (performance.now() < until);
          done++
          inRound.set(round, (inRound.get(round) ?? 0) + 1)
        },
      },
      { ...LIMITS, turnMs: 1 },
    )
    const count = () => {
      round++
      if (done < CONNECTIONS * EACH) setImmediate(count)
    }
    const dialled = Array.from({ length: CONNECTIONS }, (_, place) => {
      const one = dialTls(busy.address!, mallory)
      one.socket.write(hello({ instance: `0000000${place}` }))
      return one
    })
    await until('all are let in', () => dialled.every(({ heard }) => heard().length > 0))
    count()
    for (const { socket } of dialled) {
      socket.write(Buffer.concat(Array.from({ length: EACH }, () => framed(Buffer.from('much')))))
    }
    await until('all is done', () => done === CONNECTIONS * EACH)
    // A word takes longer than a share: of a round of the event loop there is one, beside the first that came.
    expect(Math.max(...inRound.values())).toBeLessThanOrEqual(2)
    expect(inRound.size).toBeGreaterThan((CONNECTIONS * EACH) / 2)
  })
  it('have one share also where they come right behind the greetings', async () => {
    const CONNECTIONS = 4
    const EACH = 20
    let round = 0
    let done = 0
    const inRound = new Map<number, number>()
    const busy = await bed.start(
      'e',
      {
        ...recorder(),
        frame() {
          const until = performance.now() + 2
          while (performance.now() < until);
          done++
          inRound.set(round, (inRound.get(round) ?? 0) + 1)
        },
      },
      { ...LIMITS, turnMs: 10 },
    )
    // As much as one piece of a stream may bring, and a hello in front of it.
    const words = Array.from({ length: EACH }, () => framed(Buffer.from('much')))
    const dialled = Array.from({ length: CONNECTIONS }, () => dialTls(busy.address!, mallory))
    await Promise.all(dialled.map(({ socket }) => once(socket, 'secureConnect')))
    const count = () => {
      round++
      if (done < CONNECTIONS * EACH) setImmediate(count)
    }
    count()
    for (const [place, { socket }] of dialled.entries())
      socket.write(Buffer.concat([hello({ instance: `0000000${place}` }), ...words]))
    await until('all is done', () => done === CONNECTIONS * EACH)
    // Ten milliseconds when they come and ten when the turn is over are ten words; each may be one too many.
    expect(Math.max(...inRound.values())).toBeLessThanOrEqual(12)
    for (const { socket } of dialled) socket.destroy()
  })
  it('are forgotten when their connection ends', async () => {
    const { done, busy } = await busyServer()
    const { socket, heard, ended } = dialTls(busy.address!, mallory)
    socket.write(hello())
    await until('she is let in', () => heard().length > 0)
    const rubbish = Buffer.concat([framed(Buffer.from('much')), header(2 ** 31)])
    socket.write(Buffer.concat([...Array.from({ length: 50 }, () => framed(Buffer.from('much'))), rubbish]))
    await ended
    expect(done.words).toBe(51)
  })
})

describe('who has a certificate of the group, and no business here:', () => {
  it("a member at a server's port, also under the server's clients' limits", async () => {
    const member = await issueCertificate(bed.authority, { ...identityOf('b'), role: 'member' })
    const { socket, heard, ended } = dialTls(target, member)
    socket.write(hello({ instance: '' }))
    await refusedWith(/a member has no business/)
    await ended
    expect(heard().toString('latin1')).toContain("a member has no business at a server's port")
    expectNothingHeard()
  })
  it('one with other settings, who is told which', async () => {
    const strict = await bed.start('s', recorder(), {}, 'liars=1 ttlMax=60000')
    const { socket, heard, ended } = dialTls(strict.address!, mallory)
    socket.write(hello({ settings: 'liars=1 ttlMax=30000' }))
    await refusedWith(/settings differ: ttlMax/)
    await ended
    expect(heard().toString('latin1')).toContain('settings differ: ttlMax is 30000 in yours, 60000 here')
    const same = dialTls(strict.address!, mallory)
    same.socket.write(hello({ settings: 'liars=1 ttlMax=60000' }))
    await until('it is let in', () => strict.connected().includes('mallory#00000000deadbeef'))
    same.socket.destroy()
  })
})

describe('half handshakes', () => {
  it('of one address are bounded, and make room when they end', async () => {
    const small = await bed.start('h', recorder(), { handshakesPerAddressMax: 4, handshakeMs: 60_000 })
    const half = await Promise.all(Array.from({ length: 12 }, () => dialTcp(small.address!)))
    await refusedWith(/4 handshakes from 127\.0\.0\.1 are under way already/)
    for (const { socket } of half) socket.destroy()
    const later = await bed.start('Later', recorder())
    await until('a newcomer is let in', () => later.connected().includes('h'))
  })
  it.each([
    ['of one address', { handshakesPerAddressMax: 4 }],
    ['of all', { handshakesMax: 4, clientsMax: 100 }],
  ])('%s that go on with nothing make room for a newcomer, and not before they had their time', async (_of, bounds) => {
    const few = { ...bounds, handshakeRoomMs: 300, handshakeMs: 60_000 }
    const small = await bed.start('h', recorder(), few)
    const began = performance.now()
    const half = await Promise.all(Array.from({ length: 4 }, () => dialTcp(small.address!)))
    const firstEnd = Promise.race(half.map(one => one.ended)).then(() => performance.now() - began)
    const later = await bed.start('Later', recorder())
    await until('a newcomer is let in', () => later.connected().includes('h'))
    expect(await firstEnd).toBeGreaterThanOrEqual(299)
    for (const { socket } of half) socket.destroy()
  })
  it('of all addresses are bounded', async () => {
    const small = await bed.start('h', recorder(), { handshakesMax: 3, clientsMax: 100, handshakeMs: 60_000 })
    const half = await Promise.all(Array.from({ length: 8 }, () => dialTcp(small.address!)))
    await refusedWith(/^3 handshakes are under way already/)
    for (const { socket } of half) socket.destroy()
  })
})
