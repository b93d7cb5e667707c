export type { Address } from './dialer.ts'

export type { Limits } from './limits.ts'
export { portInUse } from './listener.ts'
export { createMemoryNetwork } from './memory.ts'
export { createTlsTransport, type TlsTransport } from './tls.ts'
export type { Log, Transport, TransportEvents } from './transport.ts'
