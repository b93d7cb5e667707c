// What users say to the baselines, and hear.

export type BaselineCommand = { kind: 'request'; id: number } | { kind: 'release'; id: number }

/** A baseline tells its user which slot it was given. */
export type BaselineEvent = { kind: 'granted'; id: number; slot: number }
