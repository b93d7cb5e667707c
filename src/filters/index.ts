export * from './arithmetic/index.ts'
export { type Filter, FilterError, type Form, type HashOptions, type Key, type Verdict } from './filter.ts'
export { QuotientHashTable, type QuotientHashTableOptions } from './quotient-hash-table.ts'
