// The address of a broker, who one is there, and why it could not be reached. A password stands in no sentence, log or list: once an
// address is read, what people are shown is the address without it.

import { SettingsError, Unavailable } from '../../core/index.ts'

/** Who one is for a broker. */
export interface Login {
  readonly user?: string
  readonly password?: string
  /** Of NATS. */
  readonly token?: string
}

/** A broker's address, read. */
export interface BrokerAddress {
  /** Without the login: for people, and for the broker's library. */
  readonly url: string
  readonly host: string
  readonly isTls: boolean
  readonly login: Login
}

const TLS = ['tls', 'mqtts', 'wss']
/** What an address would read as its own. */
const ESCAPES = '%40 %2F %3A %3F %23 %25'

/** Reads an address such as `nats://user:password@host:4222`; a login in options stands instead of one in the address. */
export function brokerAddress(
  url: unknown,
  call: 'nats' | 'mqttBroker',
  schemes: readonly string[],
  given: Login,
): BrokerAddress {
  const scheme = typeof url === 'string' ? /^([a-z]+):\/\/./.exec(url)?.[1] : undefined
  if (scheme === undefined || !schemes.includes(scheme)) {
    const example = `${call} takes the address of a broker, such as ${schemes[0]}://127.0.0.1 (${schemes.join(', ')})`
    throw new SettingsError(`${example}, not ${typeof url === 'string' ? JSON.stringify(veiled(url)) : typeof url}.`)
  }
  const parsed = parsedUrl(url as string, call)
  const { username, password } = parsed
  parsed.username = ''
  parsed.password = ''
  const plain = (url as string).includes('@') ? parsed.href.replace(/\/$/, '') : (url as string)
  const login = loginOf(decoded(username, call), decoded(password, call), call)
  if (Object.keys(login).length > 0 && Object.keys(given).length > 0)
    throw new SettingsError(`${plain} has a login in its address, and another one is given: leave out one of them.`)
  return { url: plain, host: parsed.hostname, isTls: TLS.includes(scheme), login: { ...login, ...given } }
}

/** What may be a password is not shown, also where the address cannot be read, or somebody left out the host. */
function veiled(url: string): string {
  const shown = url.replace(/^([^/]*\/\/)?.*@/, (_all, scheme = '') => `${scheme}…@`)
  return shown.replace(/^([^/]*\/\/[^@:/[\]]*:)(?!\d+(\/|$)).*$/, '$1…').slice(0, 100)
}

function parsedUrl(url: string, call: string): URL {
  // A scheme that URL knows: of others it takes what it would refuse here.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // A password such as 1/x ends the host for URL: what follows would be shown as a path, and somebody else be dialled.
  if (parsed !== undefined && !`${parsed.pathname}${parsed.search}${parsed.hash}`.includes('@')) return parsed
  throw new SettingsError(
    `${call} cannot read the address ${JSON.stringify(veiled(url))}: in a user or password write ${ESCAPES} for @ / : ? # %.`,
  )
}

function decoded(text: string, call: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SettingsError(`${call}: a % in a user or password of an address is written %25.`)
  }
}

/** For NATS a word alone is a token. */
function loginOf(user: string, password: string, call: 'nats' | 'mqttBroker'): Login {
  if (user === '' && password === '') return {}
  if (password === '') return call === 'nats' ? { token: user } : { user }
  return { user, password }
}

/** Reads `user:password`, or a word alone: a token for NATS, a user for MQTT. */
export function parseLogin(text: string, call: 'nats' | 'mqttBroker'): Login {
  const at = text.indexOf(':')
  return at < 0 ? loginOf(text, '', call) : loginOf(text.slice(0, at), text.slice(at + 1), call)
}

const NOT_TRUSTED = /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|ALTNAME/
const NOT_ALLOWED = /not authori[sz]ed|authorization violation|bad user ?name|bad username or password|authentication/i

/** Why a broker could not be reached, in a sentence that says what to look at. */
export function notReached(
  { url, host, isTls, login }: BrokerAddress,
  kind: 'NATS server' | 'MQTT broker',
  error: unknown,
): Unavailable {
  const {
    message = '',
    code = '',
    cause,
  } = (error ?? {}) as { message?: string; code?: string | number; cause?: unknown }
  const inner = (cause ?? {}) as { message?: string; code?: string }
  const why = message || String(code) || 'no answer'
  const codes = `${code} ${inner.code ?? ''} ${why} ${inner.message ?? ''}`
  const cannot = `${url} cannot be reached: ${why}.`
  if (NOT_ALLOWED.test(why) || [4, 5, 134, 135].includes(code as number)) return refusedLogin(url, why, login)
  if (/ENOTFOUND|EAI_AGAIN/.test(codes))
    return new Unavailable(`${url} cannot be reached: there is no host ${host}. Check its name, and the network.`)
  if (isTls && NOT_TRUSTED.test(codes))
    return new Unavailable(
      `${cannot} Its certificate is not trusted here, or is another host's: let NODE_EXTRA_CA_CERTS name the file of its authority, and check the name.`,
    )
  if (/EPROTO|wrong version number|does not support 'tls'/.test(codes))
    return new Unavailable(
      `${cannot} No TLS is spoken there: check the port. ${url.replace(/^\w+/, plainOf)} does without, and then a password can be read on the way.`,
    )
  if (!isTls && /ECONNRESET|closed|socket hang up|tls/i.test(codes))
    return new Unavailable(`${cannot} It hangs up: where it expects TLS, use ${url.replace(/^\w+/, tlsOf)}.`)
  return new Unavailable(`${cannot} Check that the ${kind} runs.`)
}

function refusedLogin(url: string, why: string, login: Login): Unavailable {
  const asWhom =
    login.token !== undefined ? 'this token' : `the user ${JSON.stringify(login.user ?? '')} and its password`
  const help =
    Object.keys(login).length === 0
      ? 'It lets nobody in without a login: give user and password, or a token.'
      : `It does not take ${asWhom}: check them, and that they are of this broker.`
  return new Unavailable(`${url} refuses: ${why}. ${help}`)
}

const plainOf = (scheme: string) => ({ tls: 'nats', mqtts: 'mqtt', wss: 'ws' })[scheme] ?? scheme
const tlsOf = (scheme: string) => ({ nats: 'tls', mqtt: 'mqtts', ws: 'wss' })[scheme] ?? scheme
