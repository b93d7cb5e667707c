// A store that was put back from an old copy, seen before its server starts.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { encode } from '../../core/index.ts'
import { livesRecord, type SeenLife } from '../../node/lives/wire.ts'
import { initGroup, type NewGroup } from '../setup/group.ts'
import { createLogStorage } from '../storage/log.ts'
import { examine, type Finding } from './examine.ts'

let dir = ''
let made: NewGroup

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-lives-'))
  made = await initGroup({ dir: join(dir, 'shop'), basePort: 20_000, liars: 1 })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** A store that holds this of lives, among others' records. */
async function store(place: number, life: number, seen: readonly SeenLife[] = [], known = true): Promise<void> {
  const folder = join(made.serverFolders[place]!, 'store')
  const storage = await createLogStorage({ folder }).open(error => {
    throw error
  })
  const record = (life: number) => encode(livesRecord, { life, mark: 5, known, seen })
  storage.save('lives', record(life - 1), 'replace')
  storage.save('lives', record(life), 'replace')
  storage.save('lock', new Uint8Array(3), 'append')
  await storage.close()
}

const first = (life: number, mark = 5): SeenLife[] => [{ server: 'server-1', life, mark }]
const about = async (level: Finding['level']) => {
  const found = await examine(made.dir, { probe: false })
  return found.flatMap(({ where, what, level: own }) =>
    own === level && what.includes(' life ') ? [`${where}: ${what}`] : [],
  )
}

it('each store says its life, and those that too few know', async () => {
  await store(0, 7)
  await store(1, 3, first(7), false)
  expect(await about('ok')).toEqual([
    'server-1: this is life 7 of the store',
    'server-2: this is life 3 of the store; too few of the others had it written down yet',
  ])
  expect(await about('problem')).toEqual([])
  expect(await about('warning')).toEqual([])
})

it('a later life that more than may lie know: the store is an old copy', async () => {
  await store(0, 7)
  for (const place of [1, 2]) await store(place, 3, first(6 + place + 1))
  expect(await about('problem')).toEqual([
    'server-1: its store is of life 7, and the stores of 2 others know life 9: it is an old copy, and what it promised since is not in it',
  ])
})

it('another start under the same number is as old; the same start is not', async () => {
  await store(0, 7)
  for (const place of [1, 2]) await store(place, 3, first(7, 6))
  expect(await about('problem')).toHaveLength(1)
})

it('a later life that only as many know as may lie is a warning', async () => {
  await store(0, 7)
  await store(1, 3, first(9))
  await store(2, 3, first(7))
  expect(await about('warning')).toEqual([
    'server-1: its store is of life 7, and the store of another server knows life 9: it is an old copy, or that one lies',
  ])
  expect(await about('problem')).toEqual([])
})
