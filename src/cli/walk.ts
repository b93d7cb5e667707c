// coterie sim --play ADDRESS of a walk: one way through a small system that the explorer tries, with the page's verdict.

import { writeFile } from 'node:fs/promises'
import { SettingsError } from '../core/index.ts'
import { decodeWalk, encodeWalk, walkAmong, walkNote, walkVerdict } from '../play/explorers/address.ts'
import { allExplorers } from '../play/explorers/all.ts'
import { cannot } from '../runtime/files.ts'
import { diagram, retrace, traceLine } from '../simulator/index.ts'
import { colour, EXIT_FAILED, print } from './output.ts'

/** The line that plays a story once more; nothing of what a page does not explore. */
export function walkLine(protocol: string, system: string, story: readonly string[]): string | undefined {
  const named = allExplorers.find(each => each.protocol === protocol)?.system(system)
  const walk = named && retrace(named, story)
  if (walk === undefined) return undefined
  const { steps, hash } = walk
  return `coterie sim --play '#${encodeWalk({ protocol, system, steps, hash: hash.slice(0, 8) })}'`
}

/** Goes the way that the address says, and prints what came of it. */
export async function walkFrom(address: string, options: { diagram?: string; json?: boolean }): Promise<void> {
  const spec = decodeWalk(address)
  if (typeof spec === 'string') throw new SettingsError(spec)
  const walk = walkAmong(allExplorers, spec)
  if (typeof walk === 'string') throw new SettingsError(walk)
  const { trace, hash, broken, next } = walk
  const verdict = walkVerdict(walk)
  const note = walkNote(spec, walk)
  if (options.diagram !== undefined) {
    const { diagram: file } = options
    await writeFile(file, diagram(trace, verdict)).catch(error => {
      throw cannot('write', file, error)
    })
  }
  const status = broken === undefined ? 'on' : 'broken'
  const told = { address: encodeWalk(spec), status, verdict, traceHash: hash, ...(note && { note }), next, trace }
  print(options.json, told, () =>
    [
      ...trace.map(traceLine),
      `trace hash ${hash}`,
      ...(note === undefined ? [] : [colour.yellow(note)]),
      broken === undefined ? colour.green(verdict) : colour.red(verdict),
    ].join('\n'),
  )
  if (broken !== undefined) process.exitCode = EXIT_FAILED
}
