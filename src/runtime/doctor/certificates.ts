// Whether a node's certificate will be believed: the right key, the right signature, the right dates, the right name.
// TLS asks the same questions in a handshake, and answers "bad certificate" to all of them.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { identityUri, readIdentity } from '../certificates/authority.ts'
import { credentialFiles, type NodeCredentials, type NodeSettings, readCertificate, readKey } from '../config/config.ts'
import { exists } from '../files.ts'
import type { Findings } from './finding.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Time enough to make new certificates without hurry. */
const EXPIRY_WARNING_DAYS = 30

const RENEW = 'Make new certificates where the group was made: coterie renew DIR'

/**
 * Checks a node's certificate, key and authority; gives them back where all three can be read.
 * `inGroup`: the folder is the one in the group's own, from which the key may have been moved to the node's machine.
 */
export async function checkCertificates(
  findings: Findings,
  node: NodeSettings,
  now: Date,
  inGroup: boolean,
): Promise<NodeCredentials | undefined> {
  const files = credentialFiles(node)
  const certificate = await findings.attempt(() => readCertificate(files.certificate))
  const moved = inGroup && !(await exists(files.key))
  if (moved) findings.warning(`${files.key} is not here`, 'Right if it is on its machine only; examine it there.')
  const key = moved ? undefined : await findings.attempt(() => readKey(files.key))
  const authority = await findings.attempt(() => readCertificate(files.authority))
  if (key !== undefined) await checkPermissions(findings, files.key)
  if (certificate !== undefined) {
    checkIdentity(findings, node, certificate)
    checkDates(findings, `the certificate ${files.certificate}`, certificate, now)
    if (key !== undefined) checkPair(findings, files, certificate, key)
    if (authority !== undefined) checkSignature(findings, files, certificate, authority)
  }
  if (authority !== undefined) checkDates(findings, `the authority's certificate ${files.authority}`, authority, now)
  if (certificate === undefined || key === undefined || authority === undefined) return undefined
  return { certificate, key, authority }
}

export function checkPair(
  findings: Findings,
  files: { readonly certificate: string; readonly key: string },
  certificate: string,
  key: string,
): void {
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) {
    findings.ok('certificate and key belong together')
    return
  }
  findings.problem(`${files.key} is not the key of ${files.certificate}`, 'Copy both again, from the same folder.')
}

function checkSignature(
  findings: Findings,
  files: { readonly certificate: string; readonly authority: string },
  certificate: string,
  authority: string,
): void {
  const issuer = new X509Certificate(authority)
  const leaf = new X509Certificate(certificate)
  if (issuer.ca && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey)) {
    findings.ok('the certificate is signed by the group’s authority')
    return
  }
  findings.problem(
    `${files.certificate} was not signed by ${files.authority}: it comes from another authority`,
    'Copy the whole folder of this node again from where the group was made.',
  )
}

function checkIdentity(findings: Findings, node: NodeSettings, certificate: string): void {
  const found = readIdentity(certificate)
  const advice = 'Copy the whole folder of this node again from where the group was made.'
  if (found === undefined) {
    findings.problem('the certificate carries no identity of a group', advice)
  } else if (found.group !== node.identity.group) {
    findings.problem(`the certificate is of group ${found.group}; ${node.file} is of group ${node.group.id}`, advice)
  } else if (identityUri(found) !== identityUri(node.identity)) {
    findings.problem(
      `the certificate is of ${found.role} ${found.name}; ${node.file} is of ${node.role} ${node.name}`,
      advice,
    )
  } else {
    findings.ok(`the certificate says ${identityUri(found)}`)
  }
}

/** Dates are printed without a time of day: nobody plans a renewal by the minute. */
export function checkDates(findings: Findings, what: string, pem: string, now: Date): void {
  const { validFrom, validTo } = new X509Certificate(pem)
  const [from, to] = [new Date(validFrom), new Date(validTo)]
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS)
  if (now < from) {
    findings.problem(
      `${what} begins on ${day(from)}, and this machine says that it is ${now.toISOString()}`,
      'Set the clock of this machine (timedatectl). If it is right, the machine that made the group was ahead.',
    )
  } else if (now >= to) {
    findings.problem(`${what} expired on ${day(to)}`, RENEW)
  } else if (days < EXPIRY_WARNING_DAYS) {
    findings.warning(`${what} expires in ${days} ${days === 1 ? 'day' : 'days'}, on ${day(to)}`, RENEW)
  } else {
    findings.ok(`${what} is valid until ${day(to)}`)
  }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const ANY_BUT_OWNER = 0o077

export async function checkPermissions(findings: Findings, keyFile: string): Promise<void> {
  // Windows keeps permissions elsewhere, and shows every file as readable by all.
  if (process.platform === 'win32') return
  const { mode } = await stat(keyFile)
  if ((mode & ANY_BUT_OWNER) === 0) {
    findings.ok('only the owner can read the key')
    return
  }
  const shown = (mode & 0o777).toString(8).padStart(4, '0')
  findings.warning(`${keyFile} has permissions ${shown}: others on this machine can read it`, `chmod 600 ${keyFile}`)
}
