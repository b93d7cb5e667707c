import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ristretto } from '../../crypto/index.ts'
import { countingOf } from '../certificates/counting-keys.ts'
import { loadGroup, loadNodeConfig } from '../config/config.ts'
import { addMember, initGroup } from './group.ts'
import { publicKeyOf } from './members.ts'

const folder = await mkdtemp(join(tmpdir(), 'coterie-members-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('members of a group', () => {
  it('have certificates whose keys stand in every copy of the settings', async () => {
    const made = await initGroup({ dir: join(folder, 'three'), members: 3, basePort: 9100 })
    const configs = await Promise.all(made.memberFolders.map(node => loadNodeConfig(node)))
    expect(configs.map(config => [config.role, config.name])).toEqual([
      ['member', 'member-1'],
      ['member', 'member-2'],
      ['member', 'member-3'],
    ])
    for (const [place, config] of configs.entries()) {
      const { members } = config.group.membership
      expect(members[place]!.publicKey).toBe(publicKeyOf(config.certificate))
      expect(members[place]!.sealKey).toMatch(/^[0-9a-f]{64}$/)
      expect(members.map(member => member.port)).toEqual([9300, 9301, 9302])
      expect(config.group).toEqual(made.group)
    }
  })
  it('have keys for counting where ballots are secret, proved, and in every copy of the settings', async () => {
    const made = await initGroup({ dir: join(folder, 'secret'), members: 2, ballots: 'secret' })
    const configs = await Promise.all(made.memberFolders.map(node => loadNodeConfig(node)))
    const group = await ristretto()
    for (const [place, config] of configs.entries()) {
      if (config.role !== 'member') throw new Error(`it is a ${config.role}`)
      expect(config.group).toEqual(made.group)
      expect(config.group.membership.ballots).toBe('secret')
      const { keys } = countingOf(group, config.countSecret!, '')
      expect(Buffer.from(keys.publicKey).toString('hex')).toBe(made.group.membership.members[place]!.countKey)
    }
    expect(() => countingOf(group, '00', 'count.key')).toThrow(/count.key holds no key for counting/)
    expect(() => countingOf(group, '0'.repeat(64), 'count.key')).toThrow(/holds no key for counting/)
  })
  it('may be added later, outside the first electorate', async () => {
    const made = await initGroup({ dir: join(folder, 'later'), members: 1 })
    const config = await loadNodeConfig(await addMember(made.dir, 'guest', '127.0.0.1', 7777))
    if (config.role !== 'member') throw new Error(`the guest is a ${config.role}`)
    expect(config.address).toEqual({ host: '127.0.0.1', port: 7777 })
    expect(config.group.membership.members.map(member => member.name)).toEqual(['member-1'])
  })
  it('are none where nobody asked for them, and old settings still load', async () => {
    const made = await initGroup({ dir: join(folder, 'none') })
    expect((await loadGroup(made.dir)).membership.members).toEqual([])
    expect(made.memberFolders).toEqual([])
  })
  it.each([
    [{ members: -1 }, /members is -1/],
    [{ members: 3, memberLiars: 1 }, /member liars is 1; with 3 members it can be a whole number from 0 to 0/],
    [{ members: 3, memberHosts: ['127.0.0.1', '127.0.0.2'] }, /2 hosts are named for 3 members/],
    [{ members: 3, ballots: 'open' }, /ballots is "open"; it can be sealed or secret/],
    [{ members: 1, memberHosts: ['0.0.0.0'] }, /that the others can reach/],
  ])('refuses %j', async (options, sentence) => {
    await expect(initGroup({ dir: join(folder, 'refused'), ...options })).rejects.toThrow(sentence)
  })
  it.each([['member-1'], ['server-9'], ['No Name']])('refuses to add one called %j', async name => {
    const made = join(folder, 'later')
    await expect(addMember(made, name, '127.0.0.1', 7000)).rejects.toThrow(/member/)
  })
})
