// The first hour of a new user, part by part.

import { parseArgs } from 'node:util'
import { playGuide } from './guide.ts'
import { playHelp } from './help.ts'
import { playMisuses } from './misuse.ts'
import { playReadme } from './readme.ts'
import { World } from './world.ts'

const PARTS = { readme: playReadme, help: playHelp, guide: playGuide, misuse: playMisuses }
type Part = keyof typeof PARTS

/** The exit code: 0 where everything did what is written. */
export async function main(root: string, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' } } })
  const asked = values.only === undefined ? Object.keys(PARTS) : values.only.split(',')
  const unknown = asked.filter(part => !Object.hasOwn(PARTS, part))
  if (unknown.length > 0) {
    process.stderr.write(`there is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}\n`)
    return 2
  }
  const began = performance.now()
  const world = await World.make(root)
  const stop = () => void world.end().then(() => process.exit(130))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    for (const part of asked as Part[]) {
      process.stdout.write(`\n== ${part}\n`)
      await PARTS[part](world).catch(error => world.failed(part, `it was not played to its end: ${error}`))
    }
  } finally {
    await world.end()
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`\n${world.played} lines and programs played in ${seconds} s, ${world.failures.length} failed\n`)
  for (const failure of world.failures) process.stdout.write(`\nFAILED ${failure}\n`)
  return world.failures.length === 0 ? 0 : 1
}
