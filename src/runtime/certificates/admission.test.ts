// Whom gossip makes believe to be a member: only the bearer of a certificate for that name, in this group, in time.

import { describe, expect, it } from 'vitest'
import { publicKeyOf } from '../setup/members.ts'
import { admission, identityBytes } from './admission.ts'
import { createAuthority, issueCertificate, validFor } from './authority.ts'
import type { Role } from './identity.ts'

const GROUP = 'a1b2'
const authority = await createAuthority('ours')
const stranger = await createAuthority('ours')
const issue = (role: Role, name: string, group = GROUP, by = authority, days = 30) =>
  issueCertificate(by, { group, role, name }, { hosts: [], validity: validFor(days) })
const mine = await issue('member', 'till-1')
const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

const strangers = [
  ['under another name', 'till-2', mine],
  ['of another group', 'till-1', await issue('member', 'till-1', 'ffff')],
  ['of another authority that has the same name', 'till-1', await issue('member', 'till-1', GROUP, stranger)],
  ['of a client', 'till-1', await issue('client', 'till-1')],
  ['of a server', 'till-1', await issue('server', 'till-1')],
  ['that has run out', 'till-1', await issue('member', 'till-1', GROUP, authority, -1)],
] as const

describe('admission', () => {
  const admits = admission(GROUP, authority.certificate)
  it('gives the key of a member', () => {
    expect(hex(admits('till-1', identityBytes(mine.certificate)))).toBe(publicKeyOf(mine.certificate))
  })
  it.each(strangers)('refuses a certificate %s', (_, name, { certificate }) => {
    expect(admits(name, identityBytes(certificate))).toBeUndefined()
    // It was looked at once; the answer stays.
    expect(admits(name, identityBytes(certificate))).toBeUndefined()
  })
  it.each([[new Uint8Array(0)], [new Uint8Array(900).fill(48)]])('refuses what is no certificate', identity => {
    expect(admits('till-1', identity)).toBeUndefined()
  })
  it('refuses a certificate whose bytes were changed', () => {
    const bytes = identityBytes(mine.certificate)
    bytes[bytes.length - 1]! ^= 1
    expect(admits('till-1', bytes)).toBeUndefined()
  })
  it('looks at the clock each time', () => {
    let now = Date.now()
    const clocked = admission(GROUP, authority.certificate, () => now)
    expect(clocked('till-1', identityBytes(mine.certificate))).toBeDefined()
    now += 31 * 24 * 3_600_000
    expect(clocked('till-1', identityBytes(mine.certificate))).toBeUndefined()
    now -= 62 * 24 * 3_600_000
    expect(clocked('till-1', identityBytes(mine.certificate))).toBeUndefined()
  })
})
