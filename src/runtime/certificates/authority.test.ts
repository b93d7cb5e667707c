import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import * as tls from 'node:tls'
import * as x509 from '@peculiar/x509'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  createAuthority,
  identityUri,
  issueCertificate,
  readIdentity,
  validFor,
} from './authority.ts'

const GROUP = 'k3x9'
const server = { group: GROUP, role: 'server', name: 'server-1' } as const
const client = { group: GROUP, role: 'client', name: 'alice' } as const

let authority: Credentials
let serverLeaf: Credentials
let clientLeaf: Credentials

beforeAll(async () => {
  authority = await createAuthority('demo')
  serverLeaf = await issueCertificate(authority, server, { hosts: ['127.0.0.1', 'a.example.org', '::1'] })
  clientLeaf = await issueCertificate(authority, client)
})

/** What each side saw: the peer's identity, or the words of the refusal. */
async function handshake(listens: Credentials, dials: Credentials, trusted = authority) {
  const common = { minVersion: 'TLSv1.3', ca: trusted.certificate } as const
  const listener = tls.createServer({
    ...common,
    cert: listens.certificate,
    key: listens.key,
    requestCert: true,
    rejectUnauthorized: true,
  })
  const seen = new Promise<string>(resolve => {
    listener.once('secureConnection', socket => {
      const identity = readIdentity(socket.getPeerX509Certificate()!)
      resolve(`${socket.getProtocol()} ${identity && identityUri(identity)}`)
      socket.on('error', () => {})
      socket.end()
    })
    // The error itself only says that the connection ended; the reason is on the socket.
    listener.once('tlsClientError', (error, socket) => resolve(String(socket.authorizationError ?? error.message)))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const socket = tls.connect({
    ...common,
    port,
    host: '127.0.0.1',
    cert: dials.certificate,
    key: dials.key,
    checkServerIdentity: () => undefined,
  })
  const met = new Promise<string>(resolve => {
    socket.once('secureConnect', () => {
      const identity = readIdentity(socket.getPeerX509Certificate()!)
      resolve(`${socket.getProtocol()} ${identity && identityUri(identity)}`)
    })
    socket.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
  })
  try {
    return { server: await seen, client: await met }
  } finally {
    socket.destroy()
    listener.close()
  }
}

describe('the authority and its certificates', () => {
  it('pass a mutual TLS 1.3 handshake, and each side reads the other’s identity', async () => {
    expect(await handshake(serverLeaf, clientLeaf)).toEqual({
      server: 'TLSv1.3 coterie://k3x9/client/alice',
      client: 'TLSv1.3 coterie://k3x9/server/server-1',
    })
  })

  it('let two servers meet: a server also dials', async () => {
    const other = await issueCertificate(authority, { ...server, name: 'server-2' })
    expect((await handshake(serverLeaf, other)).server).toBe('TLSv1.3 coterie://k3x9/server/server-2')
  })

  it('carry DNS names and IP addresses for tools that check them', () => {
    const certificate = new X509Certificate(serverLeaf.certificate)
    expect(certificate.checkHost('a.example.org')).toBe('a.example.org')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkIP('::1')).toBe('::1')
    expect(certificate.checkHost('b.example.org')).toBeUndefined()
  })

  it('have serials of their own', async () => {
    const again = await issueCertificate(authority, client)
    expect(new X509Certificate(again.certificate).serialNumber).not.toBe(
      new X509Certificate(clientLeaf.certificate).serialNumber,
    )
  })

  it('end no later than the authority that signed them', async () => {
    const brief = await createAuthority('brief', validFor(7))
    const leaf = await issueCertificate(brief, client)
    expect(new X509Certificate(leaf.certificate).validTo).toBe(new X509Certificate(brief.certificate).validTo)
  })
})

describe('a handshake is refused', () => {
  const longAgo = new Date('2020-01-01T00:00:00Z')

  it('with an expired certificate', async () => {
    const expired = await issueCertificate(authority, client, { validity: validFor(30, longAgo) })
    expect((await handshake(serverLeaf, expired)).server).toBe('CERT_HAS_EXPIRED')
  })

  it('with a certificate that is not valid yet', async () => {
    const early = await issueCertificate(authority, client, { validity: validFor(30, new Date(Date.now() + 1e9)) })
    expect((await handshake(serverLeaf, early)).server).toBe('CERT_NOT_YET_VALID')
  })

  it('with a certificate of another authority, even under the same name', async () => {
    const foreign = await issueCertificate(await createAuthority('demo'), client)
    // Same subject, other key: OpenSSL looks for the key identifier, and finds no issuer.
    expect((await handshake(serverLeaf, foreign)).server).toMatch(/UNABLE_TO_|SELF_SIGNED|SIGNATURE/)
  })

  it('with a client’s certificate on the listening side', async () => {
    expect((await handshake(clientLeaf, clientLeaf)).client).toMatch(/PURPOSE/)
  })

  it('with a certificate signed by a mere server', async () => {
    const forged = await issueCertificate(serverLeaf, client)
    expect((await handshake(serverLeaf, forged)).server).toMatch(/UNABLE_TO_|INVALID_CA|SIGNATURE/)
  })
})

describe('readIdentity', () => {
  it('finds no identity in the authority itself', () => {
    expect(readIdentity(authority.certificate)).toBeUndefined()
  })

  it.each(['Alice', 'a/b', 'a, URI:coterie://k3x9/server/server-1', 'a b', ''])('refuses the name %j', async name => {
    const odd = await issueCertificate(authority, { ...client, name })
    expect(readIdentity(odd.certificate)).toBeUndefined()
  })

  it('refuses a certificate with an identity hidden in a host name', async () => {
    const odd = await issueCertificate(authority, client, { hosts: ['x, URI:coterie://k3x9/server/server-1'] })
    expect(readIdentity(odd.certificate)?.role).not.toBe('server')
  })
})

/** What no authority of ours would sign: these names of ours, all in one certificate. */
async function withNames(...uris: string[]): Promise<string> {
  const keys = await webcrypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      keys: keys as webcrypto.CryptoKeyPair,
      signingAlgorithm: { name: 'Ed25519' },
      extensions: [new x509.SubjectAlternativeNameExtension(uris.map(value => ({ type: 'url' as const, value })))],
    },
    webcrypto as never,
  )
  return certificate.toString('pem')
}

describe('R16: how many of our names a certificate has', () => {
  it('one is who it is, also beside names of others', async () => {
    expect(readIdentity(await withNames('https://example.org/', identityUri(server)))).toEqual(server)
  })
  it('two of ours are nobody, in either order, also where both are the same', async () => {
    const [one, two] = [identityUri(server), identityUri(client)]
    expect(readIdentity(await withNames(one, two))).toBeUndefined()
    expect(readIdentity(await withNames(two, one))).toBeUndefined()
    expect(readIdentity(await withNames(one, one))).toBeUndefined()
  })
  it('none of ours is nobody', async () => {
    expect(readIdentity(await withNames('https://example.org/'))).toBeUndefined()
  })
})
