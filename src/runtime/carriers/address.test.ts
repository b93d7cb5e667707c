import { describe, expect, it } from 'vitest'
import { brokerAddress, notReached, parseLogin } from './address.ts'

const NATS = ['nats', 'tls']
const MQTT = ['mqtt', 'mqtts', 'ws', 'wss']
const natsAt = (url: unknown, given = {}) => brokerAddress(url, 'nats', NATS, given)
const mqttAt = (url: unknown, given = {}) => brokerAddress(url, 'mqttBroker', MQTT, given)

function expectVeiled(wrong: string): void {
  expect(() => natsAt(wrong), wrong).toThrow()
  try {
    natsAt(wrong)
  } catch (error) {
    expect((error as Error).message).not.toMatch(/s3|cret/)
  }
}

describe("a broker's address", () => {
  it.each([
    ['nats://a:4222', 'nats://a:4222', {}],
    ['nats://till:s3cret@a:4222', 'nats://a:4222', { user: 'till', password: 's3cret' }],
    ['nats://s3cret@a', 'nats://a', { token: 's3cret' }],
    ['tls://till:p%40s%2Fs%3A%25@a', 'tls://a', { user: 'till', password: 'p@s/s:%' }],
  ])('of NATS is read: %s', (given, url, login) => {
    expect(natsAt(given)).toMatchObject({ url, login })
  })
  it.each([
    ['mqtt://till@a', 'mqtt://a', { user: 'till' }],
    ['mqtts://till:s3cret@[::1]:8883', 'mqtts://[::1]:8883', { user: 'till', password: 's3cret' }],
    ['wss://till:s3cret@a/mqtt', 'wss://a/mqtt', { user: 'till', password: 's3cret' }],
  ])('of MQTT is read: %s', (given, url, login) => {
    expect(mqttAt(given)).toMatchObject({ url, login })
  })

  it('shows no password where it cannot be read', () => {
    for (const wrong of ['http://till:s3cret@a', 'till:s3cret@a', 'nats://till:s3/cret@a', 'nats://till:s3cret%@a'])
      expectVeiled(wrong)
    // The host was forgotten.
    for (const wrong of ['nats://till:s3cret', 'nats://till:3s3cret', 'NATS://till:s3cret']) expectVeiled(wrong)
  })
  it('takes no part of a password for the host, and none for the path', () => {
    for (const between of ['/', '?', '#'])
      for (const wrong of [`nats://till:1${between}s3cret@a:4222`, `nats://token${between}s3cret@a`])
        expectVeiled(wrong)
    expect(() => natsAt('nats://till:1/s3cret@a')).toThrow('write %40 %2F %3A %3F %23 %25 for @ / : ? # %')
    expect(natsAt('nats://till:1%2F%3F%23@a:4222').login).toEqual({ user: 'till', password: '1/?#' })
  })
  it('shows a host and a port that cannot be', () => {
    expect(() => natsAt('nats://broker:99999')).toThrow('"nats://broker:99999"')
    expect(() => natsAt('http://broker:4222/x')).toThrow('"http://broker:4222/x"')
  })

  it('has one login: in the address or beside it', () => {
    expect(natsAt('nats://a', { token: 't' }).login).toEqual({ token: 't' })
    expect(() => natsAt('nats://u:p@a', { token: 't' })).toThrow('leave out one of them')
    expect(parseLogin('till:a:b', 'nats')).toEqual({ user: 'till', password: 'a:b' })
    expect(parseLogin('word', 'nats')).toEqual({ token: 'word' })
    expect(parseLogin('till', 'mqttBroker')).toEqual({ user: 'till' })
  })
})

describe('why a broker could not be reached', () => {
  const told = (url: string, error: unknown) => notReached(natsAt(url), 'NATS server', error).message
  const coded = (message: string, code: string) => Object.assign(new Error(message), { code })
  it.each([
    ['nats://a', new Error('Authorization Violation'), /It lets nobody in without a login/],
    ['nats://u:p@a', new Error('Authorization Violation'), /does not take the user "u" and its password/],
    ['nats://t@a', new Error('Authorization Violation'), /does not take this token/],
    ['nats://a', coded('getaddrinfo ENOTFOUND a', 'ENOTFOUND'), /there is no host a\. Check its name/],
    ['tls://a', coded('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), /NODE_EXTRA_CA_CERTS/],
    ['tls://a', new Error("server does not support 'tls'"), /No TLS is spoken there.*nats:\/\/a does without/],
    ['nats://a', coded('connect ECONNREFUSED', 'ECONNREFUSED'), /Check that the NATS server runs/],
  ])('of %s by %s', (url, error, says) => {
    expect(told(url, error)).toMatch(says)
  })
})
