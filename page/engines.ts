// What runs come to in this engine, for tests of the page in several browsers: an address in, hash and verdict out.

import { playAmong } from '../src/play/open.ts'
import { verdictOf } from '../src/play/verdict.ts'
import { decodeRun } from '../src/simulator/index.ts'
import { explored, scriptOf } from './catalogue.ts'
import { playgroundNamed, taskNamed } from './registry.ts'
import { loadScript } from './scripts.ts'

interface Outcome {
  readonly hash: string
  readonly verdict: string
}

/** What each run comes to; the sentence, where it is none. */
export async function outcomesOf(addresses: readonly string[]): Promise<(Outcome | string)[]> {
  const outcomes: (Outcome | string)[] = []
  for (const address of addresses) outcomes.push(await outcomeOf(address))
  return outcomes
}

async function outcomeOf(address: string): Promise<Outcome | string> {
  const walked = /(?:^|[#&])walk=([a-z-]+)/.exec(address)?.[1]
  if (walked !== undefined) return outcomeOfWalk(address, walked)
  const decoded = decodeRun(address)
  if (!decoded.ok) return decoded.refusal
  const { name } = decoded.spec.run
  const script = scriptOf(name)
  if (script !== undefined) await loadScript(script)
  const playground = playgroundNamed(name)
  const play = playground === undefined ? `there is no ${name}.` : playAmong([playground], decoded.spec)
  if (typeof play === 'string') return play
  play.toEnd()
  return { hash: play.hash, verdict: verdictOf(play) }
}

async function outcomeOfWalk(address: string, protocol: string): Promise<Outcome | string> {
  const script = explored.find(({ name }) => name === protocol)?.script
  await Promise.all(['lists', ...(script === undefined ? [] : [script])].map(loadScript))
  return taskNamed('walk')!(address, NONE, NONE) as Outcome | string
}

const NONE = () => {}
