// coterie sim --play ADDRESS: the run that an address of the lab's page names, with the same verdict.

import { writeFile } from 'node:fs/promises'
import { SettingsError } from '../core/index.ts'
import { allPlaygrounds } from '../play/all.ts'
import { hashNote, playAddress } from '../play/index.ts'
import { unpackAddress } from '../play/pack.ts'
import { cannot } from '../runtime/files.ts'
import { diagram, encodeRun, type Play, traceLine } from '../simulator/index.ts'
import { colour, EXIT_FAILED, print } from './output.ts'

interface Options {
  readonly diagram?: string
  readonly json?: boolean
}

/** Runs it to its end, its broken promise or its question, and prints what came of it. */
export async function playFrom(address: string, options: Options): Promise<void> {
  const text = await unpackAddress(address)
  if (!text.ok) throw new SettingsError(text.refusal)
  const play = playAddress(text.text, allPlaygrounds)
  if (typeof play === 'string') throw new SettingsError(play)
  play.toEnd()
  if (options.diagram !== undefined) {
    const { diagram: file } = options
    await writeFile(file, diagram(play.trace, verdict(play))).catch(error => {
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
    verdict: verdict(play),
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

/** In one line. */
function verdict(play: Play): string {
  const { question, violations } = play
  if (question !== undefined) {
    const words = question.answers.map(({ word }) => `${word.letter} (${word.name})`).join(', ')
    return `${question.node} is asked by ${question.from} and has no word left; it could say ${words}`
  }
  if (violations.length > 0) return `broken: ${violations.map(({ what }) => what).join('; ')}`
  if (play.stopped === 'events') return 'stopped here: more events than a run that is played may have'
  return 'no promise was broken'
}

function ending(play: Play): string[] {
  const note = hashNote(play)
  const paint = play.status === 'broken' ? colour.red : play.status === 'asks' ? colour.yellow : colour.green
  return [
    ...play.outside.map(sentence => colour.yellow(sentence)),
    `trace hash ${play.hash}`,
    ...(note === undefined ? [] : [colour.yellow(note)]),
    paint(verdict(play)),
  ]
}
