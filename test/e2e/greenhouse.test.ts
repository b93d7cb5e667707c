// The example of members that tell each other what they measure, as several programs.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { bundle } from '../guards/bundle.ts'
import { endAll, freePorts, run, waitFor } from '../support/processes.ts'

const MEMBERS = 3
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200

let dir = ''
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

it('three programs hear what is too warm from each other, and not what is cold', async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-greenhouse-'))
  const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  const { memberFolders } = await initGroup({ dir: join(dir, 'greenhouse'), basePort, members: MEMBERS })
  const program = await bundle('examples/greenhouse.ts')
  const programs = memberFolders.map((folder, place) =>
    run(process.execPath, [program, folder, String(20 + 15 * place)]),
  )
  const know = () => programs.map(({ output }) => /(\d) others know, 0 have not said/.exec(output())?.[1])
  await waitFor('everybody knows who has it', () => know().every(count => count !== undefined), 20_000)
  expect(know()).toEqual(['0', '2', '2'])
  const heard = () => programs.map(({ output }) => [...output().matchAll(/member-\d has \d+/g)].map(([text]) => text))
  await waitFor('all are printed', () => heard().every(lines => lines.length === 2))
  for (const lines of heard()) expect(lines.sort()).toEqual(['member-2 has 35', 'member-3 has 50'])
  for (const { child } of programs) child.kill('SIGTERM')
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0, 0])
})
