export type { Address } from './dialer.ts'
export { LIMITS, type Limits } from './limits.ts'
export { createMemoryNetwork, type MemoryNetwork } from './memory.ts'
export { createTlsTransport, type TlsOptions, type TlsTransport } from './tls.ts'
export {
  type DropReason,
  type Drops,
  FRAME_BYTES_MAX,
  INSTANCE_MARK,
  isClient,
  type Log,
  type LogLevel,
  type Transport,
  type TransportEvents,
} from './transport.ts'
