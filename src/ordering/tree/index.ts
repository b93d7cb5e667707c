export { applyTree, endSession, treeApplier } from './apply.ts'
export { entryKey, readEntry, readValue, type Stat, valueKey } from './entries.ts'
export { changesIn, changesSince, eventsFor, lastChange, type TreeChange, type TreeEvent } from './events.ts'
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
export { childOf, isPath, nameOf, parentOf } from './paths.ts'
export type { TableReader, TableView, TableWrite } from './view.ts'
