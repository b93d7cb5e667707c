// `carried`: everything behind it is loaded with the first call.

import type { CarriedChannel } from './carried.ts'
import { type CarriedOptions, carriedSchema, type PlainOptions, plainSchema, secretSchema } from './options.ts'

/**
 * Opens a secret channel on brokers that are not trusted: they carry events, and cannot read them. With `plain: true`, a channel that
 * everybody on the broker reads, also with its own tools.
 *
 * @example
 * ```ts
 * await using prices = await coterie.carried<{ price: number }>({
 *   identity: 'shop/clients/till', carriers: [coterie.nats('nats://127.0.0.1')], channel: 'prices',
 * })
 * ```
 */
export async function carried<Payload = unknown>(
  options: CarriedOptions | PlainOptions,
): Promise<CarriedChannel<Payload>> {
  if (isPlain(options)) {
    plainSchema('carried', options)
    const { openPlain } = await import('./plain.ts')
    return openPlain<Payload>(options)
  }
  carriedSchema('carried', options)
  if (options.secret !== undefined) secretSchema('carried.secret', options.secret)
  const { openCarried } = await import('./carried.ts')
  return openCarried<Payload>(options)
}

function isPlain(options: CarriedOptions | PlainOptions): options is PlainOptions {
  return typeof options === 'object' && options !== null && 'plain' in options && options.plain === true
}
