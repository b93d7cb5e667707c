export { treeApplier } from './apply.ts'
export { entryKey, readEntry, readValue, type Stat, statOf, valueKey } from './entries.ts'
export {
  changesIn,
  changesSince,
  eventsFor,
  lastChange,
  type TreeChange,
  type TreeEvent,
} from './events.ts'
export { below } from './listing.ts'
export {
  LEASE_TTL_MAX,
  LEASE_TTL_MIN,
  operationCodec,
  resultCodec,
  type TreeCondition,
  type TreeErrorCode,
  type TreeOperation,
  type TreeResult,
  type TreeWrite,
  type TreeWriteResult,
} from './operations.ts'
export { childOf, isPath, isWithin } from './paths.ts'
export type { TableReader, TableWrite } from './view.ts'
