// What must hold between messages: each invariant, broken by hand, is noticed.

import { describe, expect, it } from 'vitest'
import { acquainted, group, ids } from '../../../test/support/members.ts'
import type { NodeId } from '../../core/index.ts'
import { membership } from './machine.ts'
import type { MembershipState } from './state.ts'

describe('what must hold between messages', () => {
  const broken: Record<string, (state: MembershipState) => void> = {
    'a member that has started knows itself': state => {
      state.members.delete('self')
      state.others.pop()
    },
    'what a member says of itself is its present incarnation': state => state.incarnation++,
    'an incarnation is of this life': state => state.boot++,
    'a member never takes itself for gone': state => {
      state.members.get('self')!.status = 'failed'
    },
    'a member that leaves has said so': state => {
      state.leaving = true
    },
    'those that can be talked to are known, and are others': state => state.others.push('self'),
    'the sorted names are those of all members': state => {
      state.names = ['ann']
    },
    'awareness stays on its scale': state => {
      state.awareness = -1
    },
    'members asked before their turn are bounded': state => state.witnessed.push(...ids, ...ids),
    'ann left exactly if it said so': state => {
      state.members.get('ann')!.status = 'left'
    },
    'ann is suspect by somebody’s word': state => {
      state.members.get('ann')!.status = 'suspect'
    },
    'the failure of ann is certified by notices': state => {
      state.members.get('ann')!.certified = true
    },
    'the round trips to ann are bounded': state => state.members.get('ann')!.roundTrips.push(...Array(9).fill(1)),
    'a member does not probe itself': state => probing(state, 'self'),
  }
  const probing = (state: MembershipState, target: NodeId) => {
    const nonce = new Uint8Array(8)
    state.probe = { target, nonce, sentAt: 0, answered: false, helpers: [], nacks: [] }
  }

  it.each(Object.entries(broken))('%s', (what, breaks) => {
    const { state } = acquainted()
    const { check } = membership(group.settings('self'))
    probing(state, 'ann')
    check!(state)
    breaks(state)
    expect(() => check!(state)).toThrow(what.replace('’', "'"))
  })
})
