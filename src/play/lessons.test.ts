// The lessons: twelve runs, each with the hash it carries, and captions bound to events that are there.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allPlaygrounds } from './all.ts'
import { hashNote, playAddress } from './index.ts'
import { type Lesson, readLesson } from './lessons.ts'

const FOLDER = join(import.meta.dirname, '../../docs/lessons')
const files = readdirSync(FOLDER).filter(file => /^\d/.test(file))
const CAPTIONS_MIN = 5
const CAPTIONS_MAX = 9

describe('the lessons', () => {
  it('are twelve, and the list has them all', () => {
    expect(files).toHaveLength(12)
    const list = readFileSync(join(FOLDER, 'README.md'), 'utf8')
    for (const file of files) expect(list).toContain(`(${file})`)
  })
  it.each(files)('%s', file => {
    const lesson = readLesson(readFileSync(join(FOLDER, file), 'utf8')) as Lesson
    expect(lesson).not.toBeTypeOf('string')
    const { address, captions, before, after, title } = lesson
    expect([title, before, after].every(text => text.length > 3)).toBe(true)
    const play = playAddress(address, allPlaygrounds)
    if (typeof play === 'string') throw new Error(play)
    play.toEnd()
    expect(play.spec.hash).toBeDefined()
    expect(hashNote(play)).toBeUndefined()
    expect(['over', 'broken']).toContain(play.status)
    expect(captions.length).toBeGreaterThanOrEqual(CAPTIONS_MIN)
    expect(captions.length).toBeLessThanOrEqual(CAPTIONS_MAX)
    const places = captions.map(({ index }) => index)
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
    for (const { index, node, kind } of captions) expect(play.trace[index]).toMatchObject({ node, kind })
    // A run that breaks ends with the caption of its breaking.
    if (play.status === 'broken') expect(places.at(-1)).toBe(play.violations[0]!.index)
  })
})

describe('a lesson that cannot be read', () => {
  it.each([
    ['no title', /begins with a title/],
    ['# Title\n\nwithout a run', /no line Run:/],
    ['# Title\n\nRun: `run=lock`\n\n- a caption of nothing', /caption 1 of 'Title' does not begin like/],
  ])('%j is refused with a sentence', (text, why) => {
    expect(readLesson(text)).toMatch(why)
  })
})
