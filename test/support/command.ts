// Runs a command line inside the test, as main would, and gives back what a shell would see.

import { Command } from 'commander'
import { vi } from 'vitest'

class Exit extends Error {}

export interface Seen {
  out: string
  /** Standard output as it was, for what is no text. */
  bytes: Uint8Array
  err: string
  code: number
}

export async function runCommand(commands: readonly Command[], line: readonly string[]): Promise<Seen> {
  const seen: Seen = { out: '', bytes: new Uint8Array(), err: '', code: 0 }
  const catchAll = (to: 'out' | 'err') => (text: string | Uint8Array) => {
    if (to === 'out') seen.bytes = Buffer.concat([seen.bytes, Buffer.from(text as Uint8Array)])
    seen[to] += typeof text === 'string' ? text : Buffer.from(text).toString()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(catchAll('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(catchAll('err'))
  vi.spyOn(process, 'exit').mockImplementation(code => {
    seen.code = Number(code)
    throw new Exit()
  })
  process.exitCode = undefined
  const program = new Command('coterie').enablePositionalOptions()
  for (const command of commands) program.addCommand(command)
  try {
    await program.parseAsync([...line], { from: 'user' })
    seen.code = Number(process.exitCode ?? 0)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  } finally {
    vi.restoreAllMocks()
    process.exitCode = undefined
  }
  return seen
}
