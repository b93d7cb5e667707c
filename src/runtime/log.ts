import type { Log } from './transport/index.ts'

/** The log of a node whose user asked for none. */
export const silence: Log = () => {}
