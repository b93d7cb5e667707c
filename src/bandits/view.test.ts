// What the comparator and the shuffler are shown: nothing twice, and nothing that depends on the arms.

import { describe, expect, it } from 'vitest'
import { TAG_BYTES } from './encoding.ts'
import { idealParties, playTogether, tapes } from './proof/index.ts'
import type { BanditMessage } from './wire.ts'

/** In an ideal seal the message stands behind 16 bytes; in it a proof of 32, a check of 8, two tokens of 16, and a byte. */
const TAGS_AT = 16 + 32 + 8 + 32 + 1

function overheard(play: (hear: (body: BanditMessage) => void) => void): BanditMessage[] {
  const said: BanditMessage[] = []
  play(body => said.push(body))
  return said
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('the comparator', () => {
  it('sees no tag twice but where two arms of one round agree, also after an empty phase', () => {
    // K = 5, N = 6: four rounds, and the last three after the same number of pulls.
    const said = overheard(hear =>
      playTogether({ algorithm: 'successive-rejects', budget: 6 }, tapes(3, 5, 3), 3, {
        overhear: (_from, _to, body) => hear(body),
      }),
    )
    const rounds = said.filter(body => body.kind === 'boxes')
    expect(rounds.length).toBe(4)
    const seen = new Map<string, number>()
    for (const { round, boxes } of rounds) {
      for (const box of boxes) {
        for (let at = TAGS_AT; at < box.length; at += TAG_BYTES) {
          const tag = hex(box.subarray(at, at + TAG_BYTES))
          expect(seen.get(tag) ?? round, `a tag of round ${round}`).toBe(round)
          seen.set(tag, round)
        }
      }
    }
  })

  it('sees the winner in every slot equally often, though one arm always wins', () => {
    const arms = 4
    const said = overheard(hear =>
      playTogether({ algorithm: 'ucb1', budget: 800, batch: 0 }, [() => 1, () => 0, () => 0, () => 0], 5, {
        overhear: (_from, to, body) => {
          if (body.kind === 'turn' && to === 'arm-1') hear(body)
        },
      }),
    )
    const counts = new Array<number>(arms).fill(0)
    for (const body of said) if (body.kind === 'turn') counts[body.slot]!++
    const expected = said.length / arms
    const distance = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    // 99.9 % of a chi-square with 3 degrees of freedom; the last turn, which has no slot, weighs nothing.
    expect(distance).toBeLessThan(16.3)
  })
})

it('the shuffler hands on tokens that never come again', () => {
  const said = overheard(hear =>
    playTogether({ algorithm: 'ucb1', budget: 60 }, tapes(1, 3, 3), 1, { overhear: (_from, _to, body) => hear(body) }),
  )
  const tokens = said.flatMap(body => (body.kind === 'tokens' ? body.tokens.map(hex) : []))
  expect(tokens.length).toBe(57 * 3)
  expect(new Set(tokens).size).toBe(tokens.length)
})

it('an answer of one arm says nothing of its sum: with other keys it is another number', () => {
  const answers = [1, 2].map(seed =>
    overheard(hear =>
      playTogether({ algorithm: 'ucb1', budget: 20 }, [() => 1, () => 0], seed, {
        overhear: (_from, _to, body) => body.kind === 'answer' && hear(body),
      }),
    ).map(body => body.kind === 'answer' && hex(idealParties().keysOf('user').sealing.open(body.sealed)!)),
  )
  expect(new Set(answers.flat()).size).toBe(4)
})
