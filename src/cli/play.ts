// coterie sim --play ADDRESS: the run that an address of the lab's page names, with the same verdict.

import { writeFile } from 'node:fs/promises'
import { SettingsError } from '../core/index.ts'
import { allPlaygrounds } from '../play/all.ts'
import { isWalk } from '../play/explorers/address.ts'
import { hashNote, playAddress } from '../play/index.ts'
import { unpackAddress } from '../play/pack.ts'
import { verdictOf } from '../play/verdict.ts'
import { cannot } from '../runtime/files.ts'
import { diagram, encodeRun, type Play, traceLine } from '../simulator/index.ts'
import { colour, EXIT_FAILED, print } from './output.ts'
import { walkFrom } from './walk.ts'

interface Options {
  readonly diagram?: string
  readonly json?: boolean
}

/** Runs it to its end, its broken promise or its question, and prints what came of it. */
export async function playFrom(address: string, options: Options): Promise<void> {
  const text = await unpackAddress(address)
  if (!text.ok) throw new SettingsError(text.refusal)
  if (isWalk(text.text)) return walkFrom(text.text, options)
  const play = playAddress(text.text, allPlaygrounds)
  if (typeof play === 'string') throw new SettingsError(play)
  play.toEnd()
  if (options.diagram !== undefined) {
    const { diagram: file } = options
    await writeFile(file, diagram(play.trace, verdictOf(play))).catch(error => {
      throw cannot('write', file, error)
    })
  }
  print(options.json, told(play), () => [...play.trace.map(traceLine), ...ending(play)].join('\n'))
  if (play.status === 'broken') process.exitCode = EXIT_FAILED
}

function told(play: Play): object {
  const { status, violations, outside, hash, question, stopped, trace } = play
  return {
    address: encodeRun(play.spec),
    status,
    verdict: verdictOf(play),
    traceHash: hash,
    violations,
    outside,
    ...(question === undefined
      ? {}
      : { asks: question.node, answers: question.answers.map(({ word }) => word.letter) }),
    ...(stopped === undefined ? {} : { stopped }),
    ...(hashNote(play) === undefined ? {} : { note: hashNote(play) }),
    trace,
  }
}

function ending(play: Play): string[] {
  const note = hashNote(play)
  const paint = play.status === 'broken' ? colour.red : play.status === 'asks' ? colour.yellow : colour.green
  return [
    ...play.outside.map(sentence => colour.yellow(sentence)),
    `trace hash ${play.hash}`,
    ...(note === undefined ? [] : [colour.yellow(note)]),
    paint(verdictOf(play)),
  ]
}
