// What must hold between two inputs of a client. Of one object only: a client may have thousands.

import { assert } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { INSPECTIONS_MAX } from './inspection.ts'
import { IN_FLIGHT_MAX } from './own-operations.ts'
import type { ClientObject, ClientState } from './state.ts'

export function checkClient({ objects, touched, inspections, shares }: ClientState, settings: OrderingSettings): void {
  for (const [server, { bytes, words }] of shares) {
    assert(bytes >= 0 && bytes <= settings.shareBytesMax, `keeps ${bytes} unvouched bytes of ${server}`)
    assert(words.size > 0 || bytes === 0, `miscounts what it keeps of ${server}`)
  }
  assert(inspections.size <= INSPECTIONS_MAX, 'more inspections under way than there may be')
  const object = objects.get(touched)
  if (object !== undefined) checkObject(object)
}

function checkObject(object: ClientObject): void {
  const { name, phase, proposal, choice, unannounced, replica, session, outstanding } = object
  const holds = (condition: boolean, what: string) => assert(condition, `object '${name}': ${what}`)
  holds((phase === 'proposing') === (proposal !== undefined), `is ${phase}, with${proposal ? '' : 'out'} a proposal`)
  holds(phase !== 'syncing' || choice !== undefined, 'goes on from a version that it has not chosen')
  holds(unannounced === undefined || phase === 'holding', 'keeps a commit to itself without the turn')
  holds(unannounced === undefined || unannounced.version <= replica.version, 'decided a version that it does not have')
  holds(session.phase === 'open' || outstanding.size === 0, 'has operations on their way without a session')
  holds(session.phase !== 'open' || session.id !== '', 'has an open session without a name')
  holds(outstanding.size <= IN_FLIGHT_MAX, 'has more operations on their way than a session keeps answers for')
  holds(object.outstandingBytes >= 0 && (outstanding.size > 0 || object.outstandingBytes === 0), 'miscounts its bytes')
  holds(object.submitted <= object.seq, 'has submitted operations that it does not have')
}
