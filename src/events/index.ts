export type { Decoded } from '../core/index.ts'
export { CLAUSES_MAX, PREDICATES_MAX, VALUES_MAX } from './canonical.ts'
export { type ExplainedClause, type ExplainedPredicate, type Explanation, explain } from './explain.ts'
export {
  type Attributes,
  type AttributeValue,
  type Clause,
  DEPTH_MAX,
  decodeFilter,
  encodeFilter,
  type Filter,
  holds,
  matches,
  PARTS_MAX,
  type Predicate,
  parseFilter,
  type Scalar,
  type Test,
} from './filter.ts'
export {
  cloudEvents,
  eventBridge,
  flatten,
  type Language,
  languageNamed,
  languages,
  mqtt,
  nats,
  pubSub,
  sns,
} from './languages/index.ts'
export { FILTER_BYTES_MAX } from './limits.ts'
export { Matcher } from './matching/index.ts'
export { InvalidEvent, InvalidFilter } from './refusals.ts'
export { TOPIC_BYTES_MAX, TOPIC_LEVELS_MAX, type TopicDialect } from './topics.ts'
export { ATTRIBUTE_BYTES_MAX, ATTRIBUTES_MAX, ITEMS_MAX, parseAttributes, TEXT_BYTES_MAX } from './values.ts'
