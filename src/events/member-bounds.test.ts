// Every map that another member, or an author through a broker, can fill has a bound for each: the list in
// docs/reference/limits.md, filled to the bound and beyond.

import { describe, expect, it } from 'vitest'
import { listedUnder } from '../../test/support/limits.ts'
import { Puppet, sent, told } from '../../test/support/machine.ts'
import { recordOf, SECOND, SecretNode } from '../../test/support/secret-node.ts'
import type { NodeId } from '../core/index.ts'
import { idealSignatures } from '../crypto/index.ts'
import type { Clause } from './canonical.ts'
import { encodeContent } from './content.ts'
import { eventsDefaults } from './defaults.ts'
import { parseFilter } from './filter.ts'
import { OUTGOING_BYTES_OF_AUTHOR_MAX, OUTGOING_MAX, OUTGOING_OF_AUTHOR_MAX, PEERS_MAX } from './interest/limits.ts'
import { interest } from './interest/machine.ts'
import { interestBasics } from './interest/settings.ts'
import { HEARD_MAX, LIVES_MAX, WINDOW_MAX } from './routing/limits.ts'
import { routing } from './routing/machine.ts'
import { routingBasics } from './routing/settings.ts'
import { judge, type WindowScene } from './routing/window.ts'
import { AUTHOR_SOURCES_MAX } from './secret/limits.ts'
import { signBatch } from './signed.ts'
import type { Item, Source } from './wire.ts'

const signatures = idealSignatures()
const { hash } = eventsDefaults
const common = {
  group: 'g',
  hash,
  signatures,
  signer: signatures.signer('self'),
  keyOf: ({ member }: { readonly member: NodeId }) => signatures.signer(member).publicKey,
}
const lifeOf = (author: string, boot = '0a'): Source => ({ channel: 'prices', author, boot })

function item(of: Source, counter: number, bytes = 0): Item {
  const content = encodeContent({ attributes: { price: 3 }, payload: new Uint8Array(bytes), time: 0 })
  const settings = { hash, group: 'g' }
  return signBatch(settings, signatures.signer(of.author), of, [{ counter, content, proof: undefined }])[0]!
}

/** A member that gossips, and knows one other to whom it sends events on; that one never says that they came. */
function gossiping() {
  const self = new Puppet(interest({ ...interestBasics, ...common }), [])
  self.start()
  const here = (member: NodeId) =>
    self.command({ kind: 'changed', view: { member, identity: new Uint8Array(), here: true } })
  for (const member of ['ann', 'bob', 'silent']) here(member)
  const hear = (of: Source, one: Item) => self.hear(of.author, { kind: 'event', source: of, item: one, hops: 0 })
  const of = (author: string) => [...self.state.outgoing.values()].filter(({ source }) => source.author === author)
  return { self, here, hear, of }
}

/** A member in a tree, and one of its neighbours. */
function inTree() {
  const self = new Puppet(routing({ ...routingBasics, ...common }), [])
  self.start()
  const members = ['self', 'left', 'right']
  for (const member of members) self.command({ kind: 'changed', view: { member, identity: new Uint8Array() } })
  self.command({ kind: 'overlay', record: { number: 1, members } })
  const link = () => self.state.overlays[0]!.links[0]!
  return { self, link }
}

function window() {
  const state: WindowScene['state'] = { seen: new Map(), keys: new Map() }
  const settings = { ...routingBasics, ...common, keyFor: (member: NodeId) => signatures.signer(member).publicKey }
  const scene: WindowScene = { state, settings, turn: { now: 0 } }
  return { state, see: (of: Source, counter: number) => judge(scene, 1, of, item(of, counter)) }
}

/** By the constant: what fills it, and one beyond. */
const cases: Record<string, Record<string, () => void>> = {
  HEARD_MAX: {
    'clauses of one neighbour, in one tree'() {
      const { self, link } = inTree()
      const clause = (at: number): Clause => parseFilter({ price: at }).$any[0]!
      const { peer, tree } = link()
      const add = Array.from({ length: 2 * HEARD_MAX }, (_, at) => ({ id: at + 1, clause: clause(at) }))
      for (let at = 0; at < 4; at++) {
        const part = add.slice(at * 32, at * 32 + 32)
        const body = { place: { overlay: 1, tree }, life: 'aa', number: at + 1, whole: at === 0, add: part, remove: [] }
        self.hear(peer, { kind: 'announce', ...body })
      }
      expect(link().heard.size).toBe(HEARD_MAX)
    },
  },
  WINDOW_MAX: {
    'ids of one author, over all its lives; those of another are its own'() {
      const { state, see } = window()
      expect(see(lifeOf('bob'), 1)).toBe('new')
      expect(see(lifeOf('ann'), 1)).toBe('new')
      const { counters } = state.seen.get('ann')!.get('0a')!
      const one = counters.get(1)!
      for (let counter = 2; counter <= WINDOW_MAX; counter++) counters.set(counter, one)
      expect(see(lifeOf('ann', '0b'), 1)).toBe('new')
      expect(counters.size).toBe(WINDOW_MAX - 1)
      expect([see(lifeOf('ann'), 1), see(lifeOf('bob'), 1)]).toEqual(['late', 'repeat'])
    },
  },
  LIVES_MAX: {
    'lives of one author'() {
      const { state, see } = window()
      see(lifeOf('bob'), 1)
      for (let at = 0; at < 2 * LIVES_MAX; at++) see(lifeOf('ann', at.toString(16)), 1)
      expect([state.seen.get('ann')!.size, state.seen.get('bob')!.size]).toEqual([LIVES_MAX, 1])
    },
  },
  OUTGOING_OF_AUTHOR_MAX: {
    'events of one author that were passed on: it pushes out its own'() {
      const { self, hear, of } = gossiping()
      hear(lifeOf('bob'), item(lifeOf('bob'), 1))
      for (let counter = 1; counter <= OUTGOING_OF_AUTHOR_MAX + 3; counter++)
        hear(lifeOf('ann'), item(lifeOf('ann'), counter))
      expect([of('ann').length, of('bob').length]).toEqual([OUTGOING_OF_AUTHOR_MAX, 1])
      expect(of('ann')[0]!.item.counter).toBe(4)
      // What came is forgotten, and counted no more.
      self.hear('silent', { kind: 'got', author: 'bob', boot: '0a', counter: 1 })
      self.pass(60_000)
      expect([self.state.outgoing.size, self.state.outgoingOf.size, self.state.outgoingBytes]).toEqual([0, 0, 0])
    },
  },
  OUTGOING_BYTES_OF_AUTHOR_MAX: {
    'their bytes'() {
      const { self, hear, of } = gossiping()
      for (let counter = 1; counter <= 12; counter++) hear(lifeOf('ann'), item(lifeOf('ann'), counter, 1_000_000))
      expect(of('ann')).toHaveLength(7)
      expect(self.state.outgoingOf.get('ann')!.bytes).toBeLessThanOrEqual(OUTGOING_BYTES_OF_AUTHOR_MAX)
    },
  },
  OUTGOING_MAX: {
    'events of all authors: the one with the most gives way'() {
      const { self, here, hear, of } = gossiping()
      hear(lifeOf('bob'), item(lifeOf('bob'), 1))
      for (let author = 0; author < 5; author++) {
        here(`a${author}`)
        const life = lifeOf(`a${author}`)
        for (let counter = 1; counter <= OUTGOING_OF_AUTHOR_MAX; counter++) hear(life, item(life, counter))
      }
      expect(self.state.outgoing.size).toBe(OUTGOING_MAX)
      expect(of('bob')).toHaveLength(1)
    },
  },
  PEERS_MAX: {
    'keys of members that came and went'() {
      const { self, here } = gossiping()
      const key = signatures.signer('x').publicKey
      for (let at = 0; at < PEERS_MAX + 10; at++) self.state.keys.set(`gone-${at}`, key)
      here('carol')
      expect(self.state.keys.size).toBe(PEERS_MAX)
      for (const member of ['self', 'ann', 'carol']) expect(self.state.keys.has(member)).toBe(true)
    },
  },
  AUTHOR_SOURCES_MAX: {
    'lives of one writer of a secret channel: another is still heard'() {
      const [reader, writer, other] = ['reader', 'writer', 'other'].map(name => new SecretNode(name)) as [
        SecretNode,
        SecretNode,
        SecretNode,
      ]
      for (const node of [reader, writer, other]) node.take(recordOf(1, 0, 60 * SECOND))
      reader.listen()
      const invented = { epoch: 1, floor: 0, counters: new Map<number, number>() }
      for (let at = 0; at < AUTHOR_SOURCES_MAX; at++) reader.state.seen.set(`writer ${at} aa`, invented)
      const handed = (out: Parameters<typeof told>[0]) => told(out).map(event => (event as { kind: string }).kind)
      const words = writer.publish(1)
      expect(sent(words).length).toBeGreaterThan(0)
      expect(handed(reader.hearAll(words))).not.toContain('handed')
      expect(handed(reader.hearAll(other.publish(1)))).toContain('handed')
    },
  },
}

describe('what a peer can fill', () => {
  const all = Object.entries(cases).flatMap(([name, of]) =>
    Object.entries(of).map(([what, go]) => ({ name, what, go })),
  )

  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: events among members')))
  it.each(all)('$name: $what', ({ go }) => go())
})
