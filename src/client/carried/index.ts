// `carried`: everything behind it is loaded with the first call.

import type { CarriedChannel } from './carried.ts'
import { type CarriedOptions, carriedSchema, checkSecret } from './options.ts'

/**
 * Opens a secret channel on brokers that are not trusted: they carry events, and cannot read them.
 *
 * @example
 * ```ts
 * await using prices = await coterie.carried<{ price: number }>({
 *   identity: 'shop/clients/till', carriers: [coterie.nats('nats://127.0.0.1')], channel: 'prices',
 * })
 * ```
 */
export async function carried<Payload = unknown>(options: CarriedOptions): Promise<CarriedChannel<Payload>> {
  carriedSchema('carried', options)
  if (options.secret !== undefined) checkSecret(options.secret)
  const { openCarried } = await import('./carried.ts')
  return openCarried<Payload>(options)
}
