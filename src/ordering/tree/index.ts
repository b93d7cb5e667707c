export { treeApplier } from './apply.ts'
export { entryKey, readEntry, readValue, type Stat, statOf, valueKey } from './entries.ts'
export {
  changesIn,
  changesSince,
  eventsFor,
  lastChange,
  lastChangeKey,
  type TreeChange,
  type TreeEvent,
} from './events.ts'
export {
  operationCodec,
  PAGE_MAX,
  resultCodec,
  type TreeCondition,
  type TreeErrorCode,
  type TreeOperation,
  type TreeResult,
  type TreeWrite,
  type TreeWriteResult,
} from './operations.ts'
export { isPath } from './paths.ts'
export type { TableReader, TableWrite } from './view.ts'
