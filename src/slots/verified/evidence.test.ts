// protocols/slots 9: a cheat is named with evidence that a third party can check, and nobody else is. The third party here
// has the arithmetic and the bytes, and nothing of the run.

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup, insecureSmallGroup } from '../../crypto/index.ts'
import { runOnce } from '../../simulator/index.ts'
import { slotsScenario } from '../proof/verified/scenario.ts'
import { verifyEvidence } from './evidence.ts'

const members = ['member-1', 'member-2', 'member-3', 'member-4']
const signatures = idealSignatures()
for (const name of members) signatures.signer(name)
const thirdParty = { group: insecureBareGroup(), signatures }

const settings = {
  slots: ['a', 'b'],
  fairness: 'lottery',
  concurrent: false,
  paced: false,
  onDemand: false,
  drift: 0.05,
} as const

/** Each liar, and what it is found to have done. */
const expected: Readonly<Record<string, string>> = {
  'doubled-ticket': 'passed on another list than it was given',
  'tagged-ticket': 'passed on another list than it was given',
  'point-outside': 'passed on another list than it was given',
  'point-of-identity': 'cast a ballot that it does not know',
  'false-share': 'gave a false share',
  'false-opening': 'opened a check falsely',
  'two-passes': 'signed two versions of one pass',
  'two-votes': 'signed two versions of one vote',
  cancelling: 'cast a ballot that it does not know',
  'slipping-in': 'cast a ballot that it does not know',
  'rogue-key': 'posted a key without possessing it',
  'odd-header': 'opened a round that cannot be',
  'two-keys': 'signed two versions of one key',
}

const evidence = new Map<string, Uint8Array>()
function evidenceOf(liar: string): { bytes: Uint8Array; cheat: string } {
  const scenario = slotsScenario({ members: 4, liar, settings, faults: false, until: 9_000_000 })
  const { drawn, violations } = runOnce(scenario, 4)
  expect(violations).toEqual([])
  const [bytes] = scenario.tally().evidence
  expect(bytes, `${liar} is caught`).toBeDefined()
  evidence.set(liar, bytes!)
  return { bytes: bytes!, cheat: String(drawn.liars).split(' ')[0]! }
}

describe('evidence', () => {
  it.each(Object.entries(expected))('%s: %s', (liar, what) => {
    const { bytes, cheat } = evidenceOf(liar)
    expect(verifyEvidence(bytes, thirdParty)).toMatchObject({ ok: true, cheat, what, name: 'channels' })
  })

  it('changed anywhere, it accuses nobody else', () => {
    const random = seededRandom(2)
    for (const [liar, bytes] of evidence) {
      const verdict = verifyEvidence(bytes, thirdParty)
      for (let i = 0; i < 60; i++) {
        const changed = bytes.slice()
        const place = random.below(changed.length)
        changed[place] = changed[place]! ^ (1 << random.below(8))
        const other = verifyEvidence(changed, thirdParty)
        if (other.ok && verdict.ok) expect(other.cheat, `${liar}, byte ${place}`).toBe(verdict.cheat)
      }
    }
    expect(evidence.size).toBe(Object.keys(expected).length)
  })

  it.each([
    ['no bytes', new Uint8Array()],
    ['random bytes', seededRandom(1).bytes(500)],
    ['more than any evidence has', new Uint8Array(2_000_001)],
  ])('%s: refused', (_what, bytes) => expect(verifyEvidence(bytes, thirdParty).ok).toBe(false))

  it('of another group, or with signatures of strangers: refused, and it says why', () => {
    const bytes = evidence.get('false-share')!
    expect(verifyEvidence(bytes, { ...thirdParty, group: insecureSmallGroup() })).toMatchObject({
      refusal: expect.stringContaining('group'),
    })
    expect(verifyEvidence(bytes, { ...thirdParty, signatures: idealSignatures() })).toMatchObject({
      refusal: expect.stringContaining('not signed by'),
    })
  })
})
