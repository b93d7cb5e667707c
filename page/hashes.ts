// The hashes of runs, for tests of this page in other browsers: an address in, the hash of its trace out.

import { openAmong } from '../src/play/open.ts'
import { decodeRun, Play } from '../src/simulator/index.ts'
import { scriptOf } from './catalogue.ts'
import { playgroundNamed } from './registry.ts'
import { loadScript } from './scripts.ts'

/** The hash of each run, or the sentence why it is none. */
export async function hashesOf(addresses: readonly string[]): Promise<string[]> {
  const hashes: string[] = []
  for (const address of addresses) hashes.push(await hashOf(address))
  return hashes
}

async function hashOf(address: string): Promise<string> {
  const decoded = decodeRun(address)
  if (!decoded.ok) return decoded.refusal
  const { name } = decoded.spec.run
  const script = scriptOf(name)
  if (script !== undefined) await loadScript(script)
  const playground = playgroundNamed(name)
  const opened = playground === undefined ? `there is no ${name}.` : openAmong([playground], decoded.spec.run)
  if (typeof opened === 'string') return opened
  const play = new Play(decoded.spec, opened)
  play.toEnd()
  return play.hash
}
