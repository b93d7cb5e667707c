// The events' part of a node. Apart from the other parts: a client that uses no events does not load it.

import type { Signer } from '../crypto/index.ts'
import { type EventsClient, eventsClient } from '../events/client/machine.ts'
import { type EventsSettings, eventsBasics } from '../events/settings.ts'
import type { EventsBrings, NodeSettings } from './settings.ts'

/** What a client brings besides: who signs for it, and the certificate that says so. */
export interface EventsClientBrings extends EventsBrings {
  readonly signer?: Signer
  readonly identity?: Uint8Array
}

export function eventsSettings({ trust, events }: NodeSettings, brings: EventsBrings): EventsSettings {
  const { liars, crashes } = trust
  const { group, hash, keys } = brings
  const keeps = events && { authorBytesMax: events.keepMax, bytesMax: events.keepAllMax }
  return { ...eventsBasics, ...keeps, group, hash, liars, crashes, ...(keys && { keys }) }
}

/** The client's part. */
export function eventsClientPart(settings: NodeSettings, brings: EventsClientBrings): EventsClient {
  const { signer, identity } = brings
  return eventsClient({ ...eventsSettings(settings, brings), ...(signer && { signer }), ...(identity && { identity }) })
}
