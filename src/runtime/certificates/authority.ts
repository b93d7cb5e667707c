// The group's authority: who may speak, and under which name.
//
// A group has one certificate authority of its own. It signs one certificate for each server and each client, and
// nothing else in the world is trusted: a certificate from a public authority, or from another group's, is a stranger's.
// So the identity in a certificate that passed the TLS handshake is the `from` of every message on that connection.
//
// The identity is a URI among the certificate's names: coterie://GROUP/server/NAME or coterie://GROUP/client/NAME.
// GROUP is the group's random id, not its readable name: two groups called "prod" must not answer each other, even if
// somebody signed both with one authority. The role is in the name, because a client must never pass for a server.
// DNS and IP names are there as well, for tools that check hosts (curl, openssl); we ourselves check the identity only,
// so that a server can move to another address without a new certificate.
//
// The obvious answer, the subject's common name, is free text that every tool reads differently.

import 'reflect-metadata'
import { generateKeyPairSync, X509Certificate as NodeCertificate, randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import { type Credentials, type Identity, identityUri, type Role, readIdentity } from './identity.ts'

export { type Credentials, type Identity, identityUri, type Role, readIdentity } from './identity.ts'

export interface Validity {
  readonly from: Date
  readonly to: Date
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Clients forget to renew; two years is long enough to plan for and short enough that a lost key stops mattering. */
const LEAF_DAYS = 2 * 365

/** The authority is used by hand, by one person, and replacing it means replacing every certificate. */
const AUTHORITY_DAYS = 10 * 365

/** Machines' clocks differ: a certificate made here must already be valid on a machine that is an hour behind. */
const BACKDATED_MS = 60 * 60 * 1000

/** 16 random bytes: no authority will ever draw the same serial twice. RFC 5280 allows 20. */
const SERIAL_BYTES = 16

const ED25519 = 'Ed25519'

/** From a little before `now`, for this many days. */
export function validFor(days: number, now: Date = new Date()): Validity {
  return { from: new Date(now.getTime() - BACKDATED_MS), to: new Date(now.getTime() + days * DAY_MS) }
}

/** Makes the authority of a new group. `title` is for people who look at the certificate. */
export async function createAuthority(
  title: string,
  validity: Validity = validFor(AUTHORITY_DAYS),
): Promise<Credentials> {
  const key = newKey()
  const keys = await importPair(key)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [`${title} authority`] }],
    notBefore: validity.from,
    notAfter: validity.to,
    signingAlgorithm: { name: ED25519 },
    keys,
    extensions: [
      // Path length 0: it signs servers and clients, never another authority.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString('pem')}\n`, key }
}

export interface IssueOptions {
  /** DNS names and IP addresses of the machine, for servers. */
  readonly hosts?: readonly string[]
  readonly validity?: Validity
}

/** Makes a key and signs a certificate for it. */
export async function issueCertificate(
  authority: Credentials,
  identity: Identity,
  options: IssueOptions = {},
): Promise<Credentials> {
  const key = newKey()
  const { publicKey } = await importPair(key)
  return { certificate: await sign(authority, identity, publicKey, options), key }
}

/**
 * Signs the key of an older certificate again, or gives undefined where this authority did not sign that one for this
 * identity. The private key is not needed: it can stay on its node's machine.
 */
export async function reissueCertificate(
  authority: Credentials,
  identity: Identity,
  older: string,
  options: IssueOptions = {},
): Promise<string | undefined> {
  const certificate = new NodeCertificate(older)
  const found = readIdentity(certificate)
  const ours = certificate.verify(new NodeCertificate(authority.certificate).publicKey)
  if (!ours || found === undefined || identityUri(found) !== identityUri(identity)) return undefined
  return sign(authority, identity, new x509.X509Certificate(older).publicKey, options)
}

async function sign(
  authority: Credentials,
  identity: Identity,
  publicKey: x509.PublicKeyType,
  options: IssueOptions,
): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certificate)
  const signer = await importPair(authority.key)
  const validity = options.validity ?? within(validFor(LEAF_DAYS), issuer.notAfter)
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [identity.name] }],
    issuer: issuer.subject,
    notBefore: validity.from,
    notAfter: validity.to,
    signingAlgorithm: { name: ED25519 },
    publicKey,
    signingKey: signer.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages(identity.role)),
      new x509.SubjectAlternativeNameExtension(alternativeNames(identity, options.hosts ?? [])),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** A client's certificate cannot be used to listen: a client that turns bad cannot stand in for a server. */
function usages(role: Role): x509.ExtendedKeyUsage[] {
  const { clientAuth, serverAuth } = x509.ExtendedKeyUsage
  return role === 'client' ? [clientAuth] : [serverAuth, clientAuth]
}

function alternativeNames(identity: Identity, hosts: readonly string[]): x509.JsonGeneralNames {
  const machine = [...new Set(hosts)].map(host => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }) as const)
  return [{ type: 'url', value: identityUri(identity) }, ...machine]
}

function within(validity: Validity, end: Date): Validity {
  return { from: validity.from, to: validity.to < end ? validity.to : end }
}

function newSerial(): string {
  const serial = randomBytes(SERIAL_BYTES)
  // A serial is a positive number: a high first bit would cost a 17th byte, a zero first byte would be dropped.
  serial[0] = (serial[0]! & 0x7f) | 0x40
  return serial.toString('hex')
}

function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

async function importPair(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const der = x509.PemConverter.decodeFirst(keyPem)
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, { name: ED25519 }, true, ['sign'])
  const { kty, crv, x } = await webcrypto.subtle.exportKey('jwk', privateKey)
  const publicJwk = { kty, crv, x } as webcrypto.JsonWebKey
  const publicKey = await webcrypto.subtle.importKey('jwk', publicJwk, { name: ED25519 }, true, ['verify'])
  return { privateKey, publicKey }
}
