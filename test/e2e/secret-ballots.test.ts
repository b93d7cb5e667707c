// Secret ballots, switched on where a group is made (protocols/election): members as processes elect, and elect again after a
// kill; and what is published of an election are totals and hidden ballots, in no order that anybody could read.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { join } from '../../src/client/join.ts'
import type { JoinedGroup } from '../../src/client/peers/joined-group.ts'
import type { ElectionEvent } from '../../src/election/index.ts'
import { loadGroup } from '../../src/runtime/config/config.ts'
import { addMember } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, root, run, waitFor } from '../support/processes.ts'
import { checkTerms, readTerms } from './terms.ts'

const MEMBERS = 4
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-secret-'))
})
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

/** By the command line, as a person would. */
async function makeGroup(name: string): Promise<{ group: string; folders: string[] }> {
  // Members listen two hundred above; the last port is a guest's.
  const basePort = (await freePorts(MEMBERS + 1)) - 200
  const group = path(await mkdtemp(path(dir, name)), 'group')
  const sizes = ['--members', String(MEMBERS), '--servers', '1', '--crashes', '0', '--base-port', String(basePort)]
  const made = coterie(['init', group, '--ballots', 'secret', ...sizes])
  expect(await made.ended, made.errors()).toBe(0)
  return { group, folders: Array.from({ length: MEMBERS }, (_, at) => path(group, 'members', `member-${at + 1}`)) }
}

describe('members with secret ballots', () => {
  it('elect as processes, and again when the coordinator is killed', async () => {
    const { group, folders } = await makeGroup('processes')
    const journal = path(group, 'journal')
    await writeFile(journal, '')
    const elector = path(root, 'test/e2e/elector.mjs')
    const running = folders.map((folder, at) => run(process.execPath, [elector, folder, journal, String(at)]))
    const leaders = async () => {
      const lines = readTerms(await readFile(journal, 'utf8'))
      return [...new Set(lines.filter(({ what }) => what === 'leads').map(({ who }) => who))]
    }
    await waitFor('somebody leads', async () => (await leaders()).length === 1, 60_000)
    const [first] = await leaders()
    const killed = running[Number(first!.split('-')[1]) - 1]!
    killed.child.kill('SIGKILL')
    await killed.ended
    await waitFor('another leads', async () => (await leaders()).length === 2, 60_000)
    expect(checkTerms(readTerms(await readFile(journal, 'utf8'))).problems).toEqual([])
  }, 180_000)

  it('publish hidden ballots and opened totals, and admit a newcomer with its key', async () => {
    const { group, folders } = await makeGroup('published')
    const ranking = [
      { name: 'battery', best: 'large', tolerance: 0 },
      { name: 'joined', best: 'small', tolerance: 0 },
    ] as const
    const claims: Extract<ElectionEvent, { kind: 'elected' }>['claim'][] = []
    const open: JoinedGroup[] = []
    const enter = async (config: string, battery: number) => {
      const member = await join({ config, attributes: { battery }, ranking })
      open.push(member)
      const pass = member.event.bind(member)
      member.event = event => {
        const said = event.body as ElectionEvent
        if (event.part === 'election' && said.kind === 'elected') claims.push(said.claim)
        pass(event)
      }
      return member
    }
    try {
      for (const [at, folder] of folders.entries()) await enter(folder, at)
      // Who knows of nobody else that can stand casts no ballot.
      await waitFor('everybody knows everybody', () =>
        open.every(
          member => member.list().filter(({ attributes }) => attributes.battery !== undefined).length === MEMBERS,
        ),
      )
      await Promise.all(open.map(member => member.coordinator('jobs', { lead: () => {} })))
      await waitFor('somebody leads', () => claims.length > 0, 60_000)
      // member-4 has the fullest battery, member-1 the smallest name of those who joined first.
      expect(claims[0]!.openings).toHaveLength(2)
      for (const { order, hidden } of claims[0]!.ballots) {
        expect(order).toEqual([])
        expect(hidden.length).toBeGreaterThan(100)
      }
      const port = (await loadGroup(group)).membership.members.at(-1)!.port + 1
      const guest = await enter(await addMember(group, 'till', '127.0.0.1', port), 9)
      await waitFor('the guest is seen', () => open.every(member => member.list().length === MEMBERS + 1))
      await Promise.all(open.slice(0, MEMBERS).map(member => member.admit('till')))
      // Only a member with a proved key can stand where ballots are secret, and the newcomer is the best.
      await guest.coordinator('jobs', { lead: () => {} })
      // Gossip may be slower than the first election after it: the second has it.
      const leads = () => guest.coordinatorNow('jobs').coordinator
      for (let rounds = 0; rounds < 2 && leads() !== 'till'; rounds++) {
        const leader = open.find(member => member.coordinatorNow('jobs').coordinator === member.name)!
        await leader.close()
        open.splice(open.indexOf(leader), 1)
        await waitFor('another leads', () => ![null, undefined, leader.name].includes(leads()), 60_000)
      }
      expect(leads()).toBe('till')
    } finally {
      await Promise.all(open.map(member => member.close()))
    }
  }, 180_000)
})
