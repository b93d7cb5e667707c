// A run that breaks is made smaller, of what was drawn, done and said alike, and breaks the same promise.

import { describe, expect, it } from 'vitest'
import { decodeRun, encodeRun, Play } from '../simulator/index.ts'
import { shrinkPlay } from '../simulator/shrink-play.ts'
import { openRun } from './index.ts'

function shrunk(address: string, says?: RegExp): { text: string; play: Play } {
  const decoded = decodeRun(address)
  if (!decoded.ok) throw new Error(decoded.refusal)
  const playable = openRun(decoded.spec.run)
  if (typeof playable === 'string') throw new Error(playable)
  const spec = shrinkPlay(decoded.spec, playable, says)
  const play = new Play(spec, playable)
  play.toEnd()
  return { text: encodeRun(spec), play }
}

describe('a shrunk run', () => {
  it('of a traitor has only the lie that was needed, and no act that was not', () => {
    const acts = 'hold:client-2>server-1#2:100;-pause:server-1@1+1;do:client-1:contend@300000'
    const { text, play } = shrunk(`run=lock-printed.n5.b1.f1.s-duel&seed=2&do=${acts}&say=server-5:ff*h&h=00000000`)
    expect(play.status).toBe('broken')
    expect(text).toMatch(/say=server-5:hf\*h$/)
    expect(text).not.toMatch(/do=/)
    expect(play.size).toBe(1)
  })
  it('of a planted bug keeps a few of the acts and faults that were drawn', () => {
    const { text, play } = shrunk('run=lock.n3.b0.f1.x-no-drift-factor&seed=7', /is held by/)
    expect(play.violations[0]!.what).toMatch(/is held by/)
    expect(text).toMatch(/only=\d+(,\d+){0,3}$/)
  })
  it('that does not break stays as it is', () => {
    const { text, play } = shrunk('run=lock-printed.n6.b1.f1.s-duel&seed=2&say=server-6:ff*h')
    expect(play.status).toBe('over')
    expect(text).toMatch(/say=server-6:ff\*h$/)
  })
})
