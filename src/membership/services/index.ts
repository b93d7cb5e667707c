export { feed, forget, nextView, type Sampler, samplerHash } from './brahms.ts'
export { aged, draw, offer, oldest, type Reference, swapped } from './cyclon.ts'
export { count, emptyDegrees, hubs, type InDegrees } from './indegree.ts'
export { peerSampling, type Sampling } from './machine.ts'
export {
  type SamplingCommand,
  type SamplingEvent,
  type SamplingSettings,
  type SamplingState,
  samplingDefaults,
} from './state.ts'
export { nearest, type Place, type Placed, torusDistance } from './torus.ts'
export { type SamplingMessage, samplingVocabulary } from './wire.ts'
