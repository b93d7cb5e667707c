// coterie slots: what it refuses, what it shows, and whom it believes.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { freePorts } from '../../../test/support/processes.ts'
import { join as joinGroup } from '../../client/join.ts'
import { ed25519Signer } from '../../crypto/index.ts'
import { initGroup } from '../../runtime/setup/group.ts'
import { slotsDefaults } from '../../slots/index.ts'
import { encodeEvidence } from '../../slots/verified/evidence.ts'
import { firstRecord, recordHash } from '../../slots/verified/record.ts'
import { type Ready, signedBytes } from '../../slots/verified/wire.ts'
import { describe as describeSeen, latest } from '../slots/status.ts'
import { judge } from '../slots/verify.ts'
import { slotsCommand } from './slots.ts'

const coterie = (...line: string[]) => runCommand([slotsCommand()], ['slots', ...line])
const signers = ['anna', 'bela', 'cleo'].map((name, place) => ({
  name,
  signer: ed25519Signer(new Uint8Array(32).fill(place + 1)),
}))

/** Cleo agrees to two sets of keys. */
function evidence(): Uint8Array {
  const members = signers.map(({ name, signer }) => ({ name, identity: signer.publicKey }))
  const record = firstRecord({ ...slotsDefaults, name: 'desks', slots: ['north'] }, members, 'ristretto255')
  const ready = (fill: number): Ready => {
    const words = { kind: 'ready', author: 'cleo', epoch: recordHash(record), round: 0 } as const
    const unsigned = { ...words, keys: new Uint8Array(32).fill(fill), signature: new Uint8Array() }
    return { ...unsigned, signature: signers[2]!.signer.sign(signedBytes(unsigned)) }
  }
  return encodeEvidence({ kind: 'versions', record, statement: ready(1), other: ready(2) })
}

describe('coterie slots verify', () => {
  let dir = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-verify-'))
    await writeFile(join(dir, 'good'), evidence())
    await writeFile(
      join(dir, 'bad'),
      evidence().map((byte, place) => (place === 200 ? byte ^ 1 : byte)),
    )
  })
  afterAll(() => rm(dir, { recursive: true }))

  it('names the cheat, with the key it signed with', async () => {
    const seen = await coterie('verify', join(dir, 'good'), '--json')
    expect(seen.code).toBe(0)
    const key = Buffer.from(signers[2]!.signer.publicKey).toString('hex')
    expect(JSON.parse(seen.out)).toMatchObject({ holds: true, member: 'cleo', slots: 'desks', key })
  })
  it('refuses one changed bit, and files that are not there', async () => {
    const changed = await coterie('verify', join(dir, 'bad'))
    expect(changed).toMatchObject({ code: 1, err: '' })
    expect(changed.out).toContain('it proves nothing')
    const missing = await coterie('verify', join(dir, 'nowhere'))
    expect(missing.code).toBe(1)
    expect(missing.err).toContain('nowhere')
  })
  it('does not take a namesake for the member of this group', () => {
    const verdict = {
      ok: true,
      cheat: 'cleo',
      identity: new Uint8Array([1]),
      what: 'lied',
      epoch: new Uint8Array(),
      name: 'desks',
    } as const
    expect(judge(verdict, new Map([['cleo', '01']])).holds).toBe(true)
    expect(judge(verdict, new Map([['cleo', '02']])).holds).toBe(false)
    expect(judge(verdict, new Map()).holds).toBe(false)
  })
})

describe('coterie slots NAME', () => {
  it('says what is missing, with exit code 2', async () => {
    const lines = [
      { line: ['desks', 'dance'], said: 'request, join, status or let-go' },
      { line: ['desks', 'request', '--slots', 'a'], said: 'which command?' },
      { line: ['desks', 'request', '--', 'ls'], said: 'which slots?' },
      { line: ['desks', 'join', '--slots', 'a'], said: 'which member?' },
      { line: ['desks', 'join', '--slots', 'a', '--fairness', 'none'], said: 'lottery or rotating' },
      { line: ['desks', 'join', '--slots', 'a', '--level', 'lax'], said: 'curious, strong or verified' },
      { line: ['desks', 'join', '--slots', 'a', '--log', 'loud'], said: "'--log <level>' argument 'loud' is invalid" },
      { line: ['desks', 'join', '--slots', 'a', '--lease', 'long'], said: 'duration' },
    ]
    for (const { line, said } of lines) {
      const seen = await coterie(...line)
      expect([seen.code, seen.err]).toEqual([2, expect.stringContaining(said)])
    }
  })

  it('status shows the member that knows most', () => {
    const slots = (epoch: number, phase: 'outside' | 'dealing') => ({
      name: 'desks',
      epoch,
      members: ['anna', 'bela', 'cleo'],
      phase,
      rounds: [{ number: 4, phase: 'open', checks: 2 } as const],
    })
    const looked = (member: string, found?: ReturnType<typeof slots>) => ({
      member,
      members: [],
      coordinator: undefined,
      slots: found,
    })
    const seen = latest([
      looked('anna'),
      looked('bela', slots(1, 'outside')),
      looked('cleo', slots(1, 'dealing')),
      looked('dora', slots(0, 'dealing')),
    ])
    expect(seen?.member).toBe('cleo')
    expect(describeSeen(seen!)).toContain('round 4  open, checked 2 times')
    expect(latest([looked('anna')])).toBeUndefined()
  })
})

describe('coterie slots let-go', () => {
  let dir = ''
  afterAll(() => rm(dir, { recursive: true, force: true }))

  it('frees a name that was opened by mistake, for other settings than those', async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-let-go-'))
    const basePort = (await freePorts(3)) - 200
    const shape = { members: 3, servers: 1, crashes: 0, basePort }
    const made = await initGroup({ dir: join(dir, 'group'), ...shape })
    const config = made.memberFolders[0]!
    const letGo = (folder = config) => coterie('desks', 'let-go', '--config', folder)
    const opened = async (lease: number) => {
      await using group = await joinGroup({ config })
      return group
        .slots('desks', { slots: ['north'], lease })
        .status()
        .then(
          () => 'opened',
          (error: Error) => error.message,
        )
    }
    expect(await letGo()).toMatchObject({ code: 2, err: expect.stringMatching(/has not opened the slots "desks"/) })
    expect(await opened(60_000)).toBe('opened')
    expect(await opened(30_000)).toMatch(/it was opened with other slots, lease/)
    {
      await using _running = await joinGroup({ config })
      expect(await letGo()).toMatchObject({ code: 1, err: expect.stringMatching(/in use/) })
    }
    expect(await letGo(made.clientFolders[0])).toMatchObject({ code: 2, err: expect.stringMatching(/is a client's/) })
    expect(await letGo()).toMatchObject({ code: 0, out: expect.stringMatching(/member-1 let go of 'desks'/) })
    expect(await opened(60_000)).toMatch(/let go here with these very settings/)
    expect(await opened(30_000)).toBe('opened')
    expect(await opened(30_000)).toBe('opened')
  })
})
