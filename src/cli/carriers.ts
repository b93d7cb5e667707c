// Options that name brokers.

import type { Command } from 'commander'
import { SettingsError } from '../core/index.ts'
import type { Carrier } from '../runtime/carriers/carrier.ts'
import { mqttBroker } from '../runtime/carriers/mqtt.ts'
import { nats } from '../runtime/carriers/nats.ts'
import { several } from './output.ts'

export interface CarrierOptions {
  readonly nats?: readonly string[]
  readonly mqtt?: readonly string[]
}

/** Adds --nats and --mqtt; each may be given several times. */
export function withCarriers(command: Command): Command {
  return command
    .option('--nats <url>', 'a NATS server, such as nats://127.0.0.1 (may be repeated)', several)
    .option('--mqtt <url>', 'an MQTT broker, such as mqtt://127.0.0.1 (may be repeated)', several)
}

export function carriersOf({ nats: subjects = [], mqtt = [] }: CarrierOptions): Carrier[] {
  return [...subjects.map(url => nats(url)), ...mqtt.map(url => mqttBroker(url))]
}

/** The same, where at least one is needed. */
export function someCarriers(options: CarrierOptions): Carrier[] {
  const carriers = carriersOf(options)
  if (carriers.length === 0)
    throw new SettingsError('name a broker: --nats nats://127.0.0.1 or --mqtt mqtt://127.0.0.1.')
  return carriers
}
