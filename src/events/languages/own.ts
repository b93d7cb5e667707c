// Our own language: see filter.ts.

import { parseFilter } from '../filter.ts'
import type { Language } from './language.ts'

/** Our own language. */
export const ownLanguage: Language = {
  name: 'own',
  title: 'our own: lt lte gt gte equal in not prefix suffix exists topic ignoreCase wildcard cidr $or $and $not',
  form: 'data',
  example: { price: { lt: 10 }, symbol: { prefix: 'AC' } },
  parse: parseFilter,
}
