// What can be searched, from how a user writes it. Loaded with the first channel.

import { SettingsError } from '../../core/index.ts'
import { type Searchable, whyNotSearchable } from '../../events/secret/index.ts'
import type { SecretOptions } from './options.ts'

/** What can be searched, as records have it. */
export function searchableOf(input: NonNullable<SecretOptions['searchable']>): Searchable[] {
  const all = Object.entries(input).map(([attribute, search]): Searchable => {
    if (search === 'equal') return { attribute, search: { kind: 'equal' } }
    if (typeof search === 'object' && search !== null && 'prefix' in search && Array.isArray(search.prefix))
      return { attribute, search: { kind: 'prefix', lengths: search.prefix } }
    if (typeof search === 'object' && search !== null && 'range' in search && Array.isArray(search.range)) {
      const [from, to] = search.range
      return { attribute, search: { kind: 'range', from, to, bits: search.bits, base: search.base } }
    }
    throw new SettingsError(
      `${attribute} is searchable in no way that is known: 'equal', { prefix: [3] } or { range: [0, 1000], bits: 8, base: 16 }.`,
    )
  })
  const why = whyNotSearchable(all)
  if (why !== undefined) throw new SettingsError(why)
  return all.sort((one, other) => (one.attribute < other.attribute ? -1 : 1))
}
