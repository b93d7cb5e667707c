// What users say to the baselines, and hear.

export type BaselineCommand = { kind: 'request'; id: number } | { kind: 'release'; id: number }

export type BaselineEvent = { kind: 'granted'; id: number; slot: number }
