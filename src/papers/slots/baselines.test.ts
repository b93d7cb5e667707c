// OMA §5.1 and §5.5: the baselines keep properties 1 and 2 (distinct slots, everybody served). What they tell is shown
// in lab/oma.

import { describe, expect, it } from 'vitest'
import { calm, ExclusionChecker, ProgressChecker, World } from '../../simulator/index.ts'
import {
  type BaselineEvent,
  partyMember,
  partyVocabulary,
  thirdParty,
  tokenVocabulary,
  trivialToken,
  wasKept,
} from './index.ts'

const MEMBERS = ['a', 'b', 'c', 'd', 'e']

/** Everybody asks twice and holds for 20 ms; more want than there are slots. */
function use(world: World) {
  const exclusion = new ExclusionChecker()
  const progress = new ProgressChecker()
  world.listen((node, event) => {
    const { id, slot } = event as BaselineEvent
    const { id: member } = node.spec
    exclusion.acquired(`${slot}`, member, exclusion.holdings, world.now, Number.POSITIVE_INFINITY)
    progress.served(`${member} ${id}`)
    world.at(world.now + 20_000, () => {
      exclusion.released(`${slot}`, member, world.now)
      world.command(member, { kind: 'release', id })
    })
  })
  for (const id of world.nodes.keys()) world.start(id)
  for (const member of MEMBERS) {
    for (const id of [1, 2]) {
      progress.demand(`${member} ${id}`, world.now)
      world.command(member, { kind: 'request', id })
    }
  }
  world.run(1_000_000)
  progress.finish(world.now)
  return { holdings: exclusion.holdings, violations: [...exclusion.violations(), ...progress.violations()] }
}

describe('properties 1 and 2', () => {
  it.each([1, 3])('the trivial token with m = %i', slots => {
    const world = new World({ seed: slots, network: calm })
    const protocol = trivialToken(slots)
    for (const id of MEMBERS) world.add({ id, protocol, peers: MEMBERS, vocabulary: tokenVocabulary })
    expect(use(world)).toEqual({ holdings: 10, violations: [] })
  })
  it.each([
    [3, 3],
    [3, 1],
  ])('the third party with m = %i, w = %i', (slots, atOnce) => {
    const world = new World({ seed: slots, network: calm })
    world.add({ id: 'party', protocol: thirdParty(slots, atOnce), peers: [], vocabulary: partyVocabulary })
    for (const id of MEMBERS) world.add({ id, protocol: partyMember(), peers: ['party'], vocabulary: partyVocabulary })
    expect(use(world)).toEqual({ holdings: 10, violations: [] })
  })
})

it('two message times are not enough to call it kept (lemma 2)', () => {
  expect(wasKept({ slot: 0, sentAt: 100, cameAt: 110 }, 5)).toBe(false)
  expect(wasKept({ slot: 0, sentAt: 100, cameAt: 111 }, 5)).toBe(true)
})
