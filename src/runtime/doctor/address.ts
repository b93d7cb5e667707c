// Who, if anyone, is at a server's address. A port that is in use tells little: it may be our server, another one of the
// group in the wrong place, another group's, or a web server. So the doctor shakes hands and reads the certificate.

import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect } from 'node:tls'
import { type Identity, identityUri, readIdentity } from '../certificates/authority.ts'
import type { NodeCredentials, NodeSettings, ServerAddress, ServerSettings } from '../config/config.ts'
import type { Findings } from './finding.ts'

/** Long for a handshake across an ocean, short for a person who waits. */
const PROBE_MS = 2000

type Answer =
  | { readonly kind: 'identity'; readonly identity: Identity; readonly trusted: boolean }
  /** It listens, but does not speak TLS, or shows no certificate of a group. */
  | { readonly kind: 'other'; readonly why: string }
  | { readonly kind: 'silent'; readonly why: string }

/** Dials, shakes hands, and reads who is there. Sends nothing else. */
function dial(credentials: NodeCredentials, host: string, port: number): Promise<Answer> {
  return new Promise(resolve => {
    let connected = false
    const socket = connect({
      host,
      port,
      minVersion: 'TLSv1.3',
      cert: credentials.certificate,
      key: credentials.key,
      ca: credentials.authority,
      // The handshake must succeed for strangers too: the question is who they are.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    })
    const finish = (answer: Answer) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const giveUp = (why: string) => finish({ kind: connected ? 'other' : 'silent', why })
    const timer = setTimeout(() => giveUp(`no answer within ${PROBE_MS} ms`), PROBE_MS)
    socket.once('connect', () => {
      connected = true
    })
    socket.on('error', error => giveUp(connected ? 'it does not speak our TLS' : explain(error)))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      const identity = certificate && readIdentity(certificate)
      if (identity) finish({ kind: 'identity', identity, trusted: socket.authorized })
      else finish({ kind: 'other', why: 'it speaks TLS, but shows no certificate of a group' })
    })
  })
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known here'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no way to that host'
    default:
      return `the system says ${error.code ?? error.message}`
  }
}

/** Tells what is at a server's address, seen from here. True where it is that server. */
export async function checkReach(
  findings: Findings,
  node: NodeSettings,
  credentials: NodeCredentials,
  server: ServerAddress,
): Promise<boolean> {
  const at = `${server.host} port ${server.port}`
  const answer = await dial(credentials, server.host, server.port)
  if (answer.kind === 'silent') {
    findings.warning(
      `${server.name} does not answer at ${at}: ${answer.why}`,
      'Start it there (coterie serve), or check the address and the firewalls between.',
    )
    return false
  }
  return judge(findings, node, server, at, answer)
}

function judge(
  findings: Findings,
  node: NodeSettings,
  server: ServerAddress,
  at: string,
  answer: Exclude<Answer, { kind: 'silent' }>,
): boolean {
  const wanted = identityUri({ group: node.group.id, role: 'server', name: server.name })
  if (answer.kind === 'other') {
    findings.problem(`something else listens at ${at}: ${answer.why}`, 'Stop it, or give this server another port.')
  } else if (identityUri(answer.identity) !== wanted) {
    findings.problem(
      `${identityUri(answer.identity)} answers at ${at}, where ${wanted} belongs`,
      'Give each server a port of its own, or stop the one that is in the wrong place.',
    )
  } else if (!answer.trusted) {
    findings.problem(
      `at ${at} answers ${wanted}, but with a certificate that is expired or not of this authority`,
      'Examine the folder that it was started from.',
    )
  } else {
    findings.ok(`${server.name} answers at ${at}`)
    return true
  }
  return false
}

/** For a server's own folder: is its port free, or is it running? True where it runs. */
export async function checkOwnPort(
  findings: Findings,
  node: ServerSettings,
  credentials: NodeCredentials,
): Promise<boolean> {
  const { address, listen } = node
  if (!(await isHere(address.host))) return checkReach(findings, node, credentials, address)
  const refusal = await tryPort(listen, address.port)
  if (refusal === 'EADDRINUSE') {
    const at = `${listen} port ${address.port}`
    const answer = await dial(credentials, reachable(listen), address.port)
    return judge(findings, node, address, at, answer.kind === 'silent' ? { ...answer, kind: 'other' } : answer)
  }
  sayRefusal(findings, refusal, listen, address.port)
  await checkMetricsPort(findings, address)
  return false
}

function sayRefusal(findings: Findings, refusal: string | undefined, listen: string, port: number): void {
  if (refusal === undefined) {
    findings.ok(`port ${port} is free; the server does not run`)
  } else if (refusal === 'EACCES') {
    findings.problem(`this user may not listen on port ${port}`, 'Choose a port above 1023, or grant the right to it.')
  } else if (refusal === 'EADDRNOTAVAIL' || refusal === 'ENOTFOUND') {
    findings.problem(`listen = "${listen}" is no address of this machine`, 'Use an address that it has, or "0.0.0.0".')
  } else {
    findings.problem(`cannot listen on ${listen} port ${port}: the system says ${refusal}`, 'Check address and port.')
  }
}

async function checkMetricsPort(findings: Findings, address: ServerAddress): Promise<void> {
  const refusal = await tryPort('127.0.0.1', address.metricsPort)
  if (refusal === undefined) return
  findings.problem(
    `metrics port ${address.metricsPort} cannot be used (${refusal === 'EADDRINUSE' ? 'in use' : refusal})`,
    'Choose another metricsPort for this server.',
  )
}

/** Listens for a moment. Undefined where that works, else the system's code. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** Where to dial what listens on this address. */
function reachable(listen: string): string {
  if (listen === '0.0.0.0') return '127.0.0.1'
  return listen === '::' ? '::1' : listen
}

async function isHere(host: string): Promise<boolean> {
  const found = await lookup(host, { all: true }).catch(() => [])
  const own = Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(entry => entry.address))
  return found.some(({ address }) => own.includes(address) || address.startsWith('127.'))
}
