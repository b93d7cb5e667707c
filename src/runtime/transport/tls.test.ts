// What only the TLS transport has: dialling, several connections to one peer, and settings that cannot work.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialTls, hello } from '../../../test/support/attacker.ts'
import { recorder, type TlsBed, tlsBed, until } from '../../../test/support/transport.ts'
import { createTlsTransport } from './tls.ts'

const bytes = (text: string) => Buffer.from(text)
const nobody = recorder()

let bed: TlsBed
beforeEach(async () => {
  bed = await tlsBed()
})
afterEach(() => bed.end())

describe('dialling', () => {
  it('is lazy between servers and eager from clients', async () => {
    const a = await bed.start('a', nobody)
    const b = await bed.start('b', nobody)
    const c = await bed.start('Carol', nobody)
    await until('the client is connected', () => c.connected().length === 2)
    expect([a.connected(), b.connected()]).toEqual([[c.self], [c.self]])
  })

  it('from both sides at once loses nothing', async () => {
    const [atA, atB] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const b = await bed.start('b', atB)
    for (let i = 0; i < 100; i++) {
      a.send('b', bytes(`${i}`))
      b.send('a', bytes(`${i}`))
    }
    const numbers = Array.from({ length: 100 }, (_, i) => `${i}`)
    await until('all are there', () => atA.frames.length === 100 && atB.frames.length === 100)
    expect(atA.texts()).toEqual(numbers)
    expect(atB.texts()).toEqual(numbers)
    expect([atA.changes, atB.changes]).toEqual([['up b'], ['up a']])
  })

  it('is not done where the peer is connected already', async () => {
    const [atA, atB] = [recorder(), recorder()]
    const a = await bed.start('a', atA)
    const b = await bed.start('b', atB)
    a.send('b', bytes('x'))
    await until('b is up', () => b.connected().includes('a'))
    b.learn('a', { host: '127.0.0.1', port: 1 })
    b.send('a', bytes('back'))
    await until('it came over the connection that a had made', () => atA.texts().includes('back'))
  })

  it('goes on while nobody is there, dropping and counting, and ends with close', async () => {
    const a = await bed.start('a', nobody)
    a.learn('b', { host: '127.0.0.1', port: 1 })
    a.send('b', bytes('waits for the dial'))
    await until('the dial failed', () => a.dropped()['connection lost'] === 1)
    a.send('b', bytes('too soon for another dial'))
    expect(a.dropped().unreachable).toBe(1)
    await until('another dial', () => {
      a.send('b', bytes('x'))
      return a.dropped()['connection lost'] > 1
    })
  })

  it('finds a server that moved to another address', async () => {
    const c = await bed.start('Carol', nobody)
    c.learn('a', { host: '127.0.0.1', port: 1 })
    await bed.start('a', nobody)
    await until('the client is connected', () => c.connected().includes('a'))
  })
})

it('the newest of several connections is the one that is used', async () => {
  const a = await bed.start('a', nobody)
  const id = 'carol#00000000deadbeef'
  const credentials = await bed.credentials('Carol')
  const old = dialTls(a.address!, credentials)
  old.socket.write(hello())
  await until('the first is up', () => a.connected().includes(id))
  const fresh = dialTls(a.address!, credentials)
  fresh.socket.write(hello())
  await until('the second is welcome', () => fresh.heard().length > 0)
  a.send(id, bytes('to the newest'))
  await until('it is there', () => fresh.heard().includes('to the newest'))
  fresh.socket.destroy()
  await until('the old one is used again', () => {
    a.send(id, bytes('to the old one'))
    return old.heard().includes('to the old one')
  })
  expect(a.connected()).toEqual([id])
  old.socket.destroy()
})

it('close ends within its limit though a peer does not read', async () => {
  const a = await bed.start('a', nobody, { closeMs: 200 })
  const { socket } = dialTls(a.address!, await bed.credentials('Carol'))
  socket.write(hello())
  await until('it is up', () => a.connected().length === 1)
  socket.pause()
  const frame = new Uint8Array(1 << 20)
  await until('the queue is full', () => {
    a.send('carol#00000000deadbeef', frame)
    return a.dropped()['queue full'] > 3
  })
  const start = performance.now()
  await a.close()
  expect(performance.now() - start).toBeLessThan(2_000)
  expect(a.dropped()['connection lost']).toBeGreaterThan(0)
  socket.destroy()
})

describe('settings that cannot work are refused in words:', () => {
  const log = () => {}

  it('a port in use', async () => {
    const a = await bed.start('a', nobody)
    const settings = { credentials: await bed.credentials('b'), authority: bed.authority.certificate, log }
    await expect(createTlsTransport({ ...settings, listen: a.address! }, nobody)).rejects.toThrow(
      /cannot listen on .*EADDRINUSE/,
    )
  })

  it('a client that listens', async () => {
    const settings = { credentials: await bed.credentials('Carol'), authority: bed.authority.certificate, log }
    const listen = { host: '127.0.0.1', port: 0 }
    await expect(createTlsTransport({ ...settings, listen }, nobody)).rejects.toThrow(/a client does not listen/)
  })

  it.each([
    ['no certificate', async () => ({ certificate: 'x', key: 'y' })],
    ['the authority’s own certificate', async () => bed.authority],
    [
      'a key of somebody else',
      async () => ({ ...(await bed.credentials('a')), key: (await bed.credentials('b')).key }),
    ],
  ])('%s', async (_, credentials) => {
    const settings = { credentials: await credentials(), authority: bed.authority.certificate, log }
    await expect(createTlsTransport(settings, nobody)).rejects.toThrow(/our own certificate or key cannot be used/)
  })
})
