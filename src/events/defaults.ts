// All settings with a hash in TypeScript: for proofs, and wherever the platform brings none. Apart from `settings.ts`, so
// that a process with a hash of its own does not load this one.

import { sha256 } from '@noble/hashes/sha2.js'
import { type EventsSettings, eventsBasics } from './settings.ts'

/** Settings of a group that says nothing else. */
export const eventsDefaults: EventsSettings = { ...eventsBasics, hash: sha256 }
