// The examples about members: three of them on this machine, of which one leads, and a guest that comes and goes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../support/processes.ts'
import type { Running, World } from './world.ts'

const LEAD = [
  'coterie lead jobs --config shop/members/member-1 -- ./run-the-jobs.sh',
  'coterie lead jobs --config shop/members/member-2 --attribute battery=0.8 -- ./run-the-jobs.sh',
] as const
const WATCH = ['coterie members --watch --json', 'coterie coordinator jobs --watch'] as const
const ADD = 'coterie member add till-3 --port 7650 --group shop'
const JOIN = 'coterie join --config shop/members/member-1 --attribute battery=0.8'
const SLOTS = [
  'coterie slots channels request --config shop/members/member-1 --slots ch1,ch2,ch3 --lease 60s -- ./send.sh',
  'coterie slots channels join --config shop/members/member-2 --slots ch1,ch2,ch3 --lease 60s',
  'coterie slots channels status --config shop/clients/admin',
  'coterie slots channels let-go --config shop/members/member-1',
  'coterie slots verify channels-member-3.evidence --config shop/clients/admin',
] as const
const ASKED = [
  'coterie members',
  'coterie coordinator jobs',
  'coterie member admit till-3',
  'coterie member expel till-3',
]

export const memberLines: readonly string[] = [...LEAD, ...WATCH, ADD, JOIN, ...SLOTS, ...ASKED]

export async function playMembers(world: World): Promise<void> {
  const folder = join(world.folder, 'members')
  mkdirSync(folder)
  writeFileSync(join(folder, 'run-the-jobs.sh'), '#!/bin/sh\necho leading in term $COTERIE_TERM\nexec sleep 600\n', {
    mode: 0o755,
  })
  writeFileSync(join(folder, 'send.sh'), '#!/bin/sh\necho sent on $COTERIE_SLOT\n', { mode: 0o755 })
  writeFileSync(join(folder, 'channels-member-3.evidence'), 'nothing that proves anything')
  const port = await freePorts(4)
  // Members listen two hundred above the servers.
  await world.line(`coterie init shop --servers 1 --crashes 0 --members 3 --base-port ${port - 200}`, { in: folder })
  await playLeading(world, folder, port + 3)
  await playSlots(world, folder)
}

async function playLeading(world: World, folder: string, port: number): Promise<void> {
  const at = { in: folder, environment: { COTERIE_CONFIG: 'shop/clients/admin' } }
  const third = await world.start('coterie join --config shop/members/member-3', /joined/, at)
  const leads = await Promise.all(LEAD.map(line => world.start(line, /^/, at)))
  await until(() => leads.some(({ output }) => output().includes('leading in term')))
  await world.line('coterie members', { ...at, says: /member-3 {2}alive/ })
  await world.line('coterie coordinator jobs', { ...at, says: /member-[12] leads 'jobs'/ })
  for (const [at_, line] of WATCH.entries()) {
    const watched = await world.start(line, at_ === 0 ? /"change":"seen"/ : /leads 'jobs'/, at)
    await watched.stop('SIGINT', 0)
  }
  const as = ADD.replace('7650', `${port}`)
  await world.line(as, at, `${ADD}  (as --port ${port})`)
  const guest = await world.start('coterie join --config shop/members/till-3', /joined/, at)
  await seen(world, folder, 'till-3')
  await world.line('coterie member admit till-3', { ...at, says: /till-3 votes/ })
  await world.line('coterie member expel till-3', { ...at, says: /till-3 votes no longer/ })
  await guest.stop('SIGINT', 0)
  // A lead that is waiting ends by the signal, and so does its command.
  for (const lead of leads) await lead.stop('SIGTERM', 143)
  await third.stop('SIGINT', 0)
  const joined = await world.start(JOIN, /joined as member-1/, at)
  await joined.stop('SIGINT', 0)
}

async function playSlots(world: World, folder: string): Promise<void> {
  const at = { in: folder }
  const [request, join_, status, letGo, verify] = SLOTS
  const others: Running[] = []
  others.push(await world.start(join_, /joined 'channels'/, at))
  others.push(await world.start(join_.replace('member-2', 'member-3'), /joined 'channels'/, at))
  await world.line(request, { ...at, says: /sent on ch[123]/ })
  await world.line(status, { ...at, says: /epoch/ })
  await world.line(letGo, { ...at, says: /member-1 let go of 'channels'/ })
  await world.line(verify, { ...at, code: 1, says: /proves nothing/ })
  for (const other of others) await other.stop('SIGINT', 0)
}

/** Gossip takes a moment. */
async function seen(world: World, folder: string, member: string): Promise<void> {
  const typed = { in: folder, environment: { COTERIE_CONFIG: 'shop/clients/admin' } }
  await world.line(`for i in 1 2 3 4 5 6; do coterie members | grep ${member} && break; sleep 0.3; done`, typed)
}

async function until(test: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !test(); tries++) await new Promise(resolve => setTimeout(resolve, 20))
}
