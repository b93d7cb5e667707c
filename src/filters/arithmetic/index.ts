export {
  optimalSubfilters,
  type QueueMemory,
  type QueueShape,
  queuingRates,
  thesisQueuingRates,
} from './queuing.ts'
export {
  falseNegativeResistance,
  falsePositiveResistance,
  queuingFalseNegativeResistance,
  queuingFalsePositiveResistance,
} from './resistance.ts'
export { type ErrorRates, type StreamShape, type TableShape, tableShape } from './shapes.ts'
export {
  largestWindow,
  type ShortHashForm,
  shortHashBits,
  shortHashFalsePositive,
  shortHashRate,
  thesisExactWindowBits,
  thesisLargestWindow,
  thesisShortHashFalsePositive,
} from './short-hash.ts'
export {
  type StreamingQuotientShape,
  streamingQuotientCellBits,
  streamingQuotientCollision,
  streamingQuotientFingerprints,
  streamingQuotientRates,
  thesisStreamingQuotientCollision,
} from './streaming-quotient.ts'
export {
  saturatedFalsePositive,
  type TableRule,
  tableFalseNegative,
  tableFalsePositive,
  tableRates,
  thesisFalsePositive,
  thesisFalsePositiveRate,
} from './table.ts'
export { thesisBound } from './thesis-bound.ts'
