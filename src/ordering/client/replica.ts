// A client's replica goes on to a version that is decided.

import { applyWrites, decodeChange, type KeptChange } from '../versions/content.ts'
import type { Write } from '../wire.ts'
import { reflected } from './answers.ts'
import { compareClaims } from './evidence.ts'
import { dropReflected } from './other-operations.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { tellWatches } from './watching.ts'

/** Goes on by one version, which is decided and whose change is right. */
export function advanceReplica(
  scene: ClientScene,
  object: ClientObject,
  kept: KeptChange,
  writes: readonly Write[] = decodeChange(kept.change),
): void {
  const touched = applyWrites(object.replica, kept.version, kept.digest, writes)
  compareClaims(scene, object)
  for (const session of touched) {
    dropReflected(object, session)
    reflected(scene, object, session)
  }
  tellWatches(scene, object, kept.version, writes)
}
