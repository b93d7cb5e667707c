// Options that name brokers, and who one is there.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { SettingsError } from '../core/index.ts'
import { parseLogin } from '../runtime/carriers/address.ts'
import type { Carrier, CarrierNews } from '../runtime/carriers/carrier.ts'
import { mqttBroker } from '../runtime/carriers/mqtt.ts'
import { nats } from '../runtime/carriers/nats.ts'
import { cannotRead, several, warn } from './output.ts'

export interface CarrierOptions {
  readonly nats?: readonly string[]
  readonly mqtt?: readonly string[]
  readonly login?: string
}

const LOGIN = 'COTERIE_BROKER_LOGIN'

/** Adds --nats and --mqtt, which may be given several times, and --login. */
export function withCarriers(command: Command): Command {
  return command
    .option('--nats <url>', 'a NATS server, such as nats://127.0.0.1 (may be repeated)', several)
    .option('--mqtt <url>', 'an MQTT broker, such as mqtt://127.0.0.1 (may be repeated)', several)
    .option('--login <file>', `a file with user:password or a token for these brokers (default: ${LOGIN})`)
}

/** The brokers that were named; of those that have no login in their address, --login or the environment has it. */
export async function carriersOf({ nats: servers = [], mqtt = [], login: file }: CarrierOptions): Promise<Carrier[]> {
  const login = await loginFrom(file)
  const of = (url: string, call: 'nats' | 'mqttBroker') => {
    if (hasLogin(url)) warn(`warning: ${PUBLIC}`)
    return login === undefined || hasLogin(url) ? {} : parseLogin(login, call)
  }
  return [...servers.map(url => nats(url, of(url, 'nats'))), ...mqtt.map(url => mqttBroker(url, of(url, 'mqttBroker')))]
}

const PUBLIC = `everybody on this machine can read a password on the command line: use --login FILE or ${LOGIN}.`
const hasLogin = (url: string) => /^[a-z]+:\/\/[^/]*@/.test(url)

async function loginFrom(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return process.env[LOGIN]?.trim() || undefined
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw cannotRead(file, error)
  })
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '')
  if (lines.length === 1) return lines[0]!
  throw new SettingsError(`${file} has ${lines.length} lines: it must have one, user:password or a token.`)
}

/** Says on standard error how a broker is. */
export function warnOfCarrier(url: string, { is, why }: CarrierNews): void {
  // Why it could not be opened names it already.
  const said = why.startsWith(url) ? why : `${url}: ${why}`
  warn(is === 'back' ? said : `warning: ${said}`)
}

/** The same, where at least one is needed. */
export async function someCarriers(options: CarrierOptions): Promise<Carrier[]> {
  const carriers = await carriersOf(options)
  if (carriers.length === 0)
    throw new SettingsError('name a broker: --nats nats://127.0.0.1 or --mqtt mqtt://127.0.0.1.')
  return carriers
}
