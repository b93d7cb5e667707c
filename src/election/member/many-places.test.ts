// As many places as a group may have, all without a coordinator at once and with secret ballots: the most that honest members ask of
// each other. Nobody is named for it, and each place gets its coordinator.

import { describe, expect, it } from 'vitest'
import { encode, seededRandom } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures, insecureBareGroup, keyPair } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { firstElectorate } from '../count/electorate.ts'
import { countingKey } from '../count/secret.ts'
import { electionDefaults } from '../settings.ts'
import { electionRecord, electionVocabulary, NAMES_MAX } from '../wire.ts'
import type { ElectionEvent } from './commands.ts'
import { election } from './machine.ts'

const SECOND = 1_000_000
const attributes = ['distance', 'load', 'heat'].map(name => ({ name, best: 'small', tolerance: 0 }) as const)
const settings = { ...electionDefaults, liars: 1, mode: 'secret' as const, attributes }
const names = Array.from({ length: NAMES_MAX }, (_, place) => `place-${place}`)

/** How many places were led within so long, and who was named. */
function elect(seconds: number) {
  const world = new World({ seed: 7, network: calm })
  const [signatures, sealing, group] = [idealSignatures(), idealSealing(), insecureBareGroup()]
  const chance = seededRandom(7)
  const random = (length: number) => chance.bytes(length)
  const ids = ['a', 'b', 'c', 'd']
  const pairs = new Map(ids.map(id => [id, keyPair(group, random)]))
  const voters = ids.map(id => {
    const counting = countingKey(group, pairs.get(id)!, id, random)
    return { id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey, ...counting }
  })
  const saved = new Map([['', [encode(electionRecord, { kind: 'first', electorate: firstElectorate(voters) })]]])
  const led = new Set<string>()
  const named: string[] = []
  world.listen((_node, event) => {
    const said = event as ElectionEvent
    if (said.kind === 'elected') led.add(said.name)
    if (said.kind === 'misbehaved') named.push(`${said.member}: ${said.how}`)
  })
  // Each of three is the best at something.
  const rows = ids.map((member, place) => ({ member, values: [0, 1, 2].map(at => (at === place ? 0 : 5)) }))
  for (const id of ids) {
    const counting = { group, keys: pairs.get(id)! }
    const keys = { signer: signatures.signer(id), signatures, sealing: sealing(id), counting }
    world.add({ id, protocol: election(settings, keys), peers: [], vocabulary: electionVocabulary, saved })
    world.start(id)
    world.command(id, { kind: 'seen', members: ids })
    for (const name of names) {
      world.command(id, { kind: 'view', name, rows })
      world.command(id, { kind: 'open', name })
    }
  }
  while (led.size < NAMES_MAX && world.now < seconds * SECOND) world.run(world.now + SECOND / 4)
  return { led: led.size, named }
}

describe('secret ballots in all places at once', () => {
  it('are counted, and nobody is named', () => {
    expect(elect(10)).toEqual({ led: NAMES_MAX, named: [] })
  })
})
