// What a caller asks of a lock: to have it, and to let it go. The callers of one process wait for each other here, and do
// not contend at the servers.

import { fail, inWords, reasonOf } from './answers.ts'
import { begin } from './attempt.ts'
import { finish } from './holding.ts'
import {
  type AcquireCommand,
  type Acquisition,
  CALLERS_MAX,
  type ClientCommand,
  type ClientScene,
  isHolder,
} from './state.ts'
import { whatIsWrong } from './valid.ts'

export function onAcquire(scene: ClientScene, asked: AcquireCommand): void {
  const { state, turn } = scene
  const wrong = whatIsWrong(asked)
  if (wrong !== undefined) return fail(scene, asked, 'invalid', { 'this process': wrong })
  const current = state.acquisitions.get(asked.name)
  if (current === undefined) return begin(scene, { asked, since: turn.now }, [])
  if (!asked.wait) return fail(scene, asked, 'contended', { 'this process': 'holds or pursues it' })
  if (current.callers.length >= CALLERS_MAX)
    return fail(scene, asked, 'crowded', { 'this process': `has ${CALLERS_MAX} callers in line` })
  current.callers.push({ asked, since: turn.now })
}

export function onReleaseCommand(scene: ClientScene, asked: ClientCommand & { kind: 'release' }): void {
  const { id, name } = asked
  const acquisition = scene.state.acquisitions.get(name)
  if (acquisition === undefined) return
  if (acquisition.id !== id) return leaveCallers(scene, acquisition, id)
  if (isHolder(acquisition)) scene.turn.do({ kind: 'emit', event: { kind: 'released', id, name } })
  else fail(scene, asked, reasonOf(scene, acquisition), inWords(scene, acquisition))
  finish(scene, acquisition)
}

function leaveCallers(scene: ClientScene, { name, callers }: Acquisition, id: number): void {
  const place = callers.findIndex(({ asked }) => asked.id === id)
  if (place < 0) return
  callers.splice(place, 1)
  fail(scene, { id, name }, 'contended', { 'this process': 'holds or pursues it' })
}
