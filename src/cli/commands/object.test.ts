// coterie object repair: its own options, and what it says.

import { expect, it } from 'vitest'
import { describeDelete, describeRepair, objectCommand } from './object.ts'

it('says where it was repaired, or that there was nothing to repair', () => {
  const done = { name: 'stock', version: 7, repaired: ['server-1', 'server-2'], sound: ['server-3'] }
  expect(describeRepair(done)).toBe(
    "repaired object 'stock' on server-1, server-2; it goes on from version 7 or a later one",
  )
  expect(describeRepair({ ...done, repaired: [] })).toMatch(/nothing to repair: 1 servers/)
})

it('says where it was deleted, or that there was nothing to delete', () => {
  const done = { name: 'stock', deleted: ['server-1', 'server-2'], absent: ['server-3'] }
  expect(describeDelete(done)).toBe("deleted object 'stock' on server-1, server-2")
  expect(describeDelete({ ...done, deleted: [] })).toMatch(/nothing to delete: 1 servers/)
})

it('takes the options behind it for its own', async () => {
  const command = objectCommand()
  const repair = command.commands.find(one => one.name() === 'repair')!
  let seen: unknown
  repair.action((name, options) => {
    seen = [name, options.json]
  })
  await command.parseAsync(['repair', 'stock', '--json'], { from: 'user' })
  expect(seen).toEqual(['stock', true])
})
