// Manual pages: one for each command, that man shows without a warning and with every option in it.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../commands.ts'
import { allOf, outline } from '../outline.ts'
import { manualPages } from './roff.ts'

const outlined = await outline(commands)
const pages = manualPages(outlined, 'Coordination.', '1.2.3')
const there = spawnSync('groff', ['--version']).status === 0

it('there is a page for the program and each of its commands', () => {
  expect(pages.map(({ file }) => file)).toEqual([
    'coterie.1',
    ...Object.keys(commands).map(name => `coterie-${name}.1`),
  ])
})

it('package.json names them all, so that npm installs them', () => {
  const { man } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    man: string[]
  }
  expect([...man].sort()).toEqual(pages.map(({ file }) => `./man/${file}`).sort())
})

it('what man would obey is written out', () => {
  const after = "Example:\n  $ coterie x 'a\\b'\n\n.SH is no heading\n\nExit codes: 0 fine."
  const shape = {
    path: ['x'],
    description: "'quoted",
    usage: 'coterie x',
    options: [],
    arguments: [],
    commands: [],
    after,
  }
  const text = manualPages([shape], 'About.', '1').at(-1)!.text
  expect(text).toContain("  $ coterie x 'a\\eb'")
  expect(text).toContain('\\&.SH is no heading')
  expect(text).toContain('.SH EXIT STATUS\n0 fine.')
})

describe.skipIf(!there)(there ? 'groff' : 'groff: left out, since it is not installed', () => {
  it.each(pages.map(page => [page.file, page] as const))('%s is shown without a warning', (file, { text }) => {
    const shown = spawnSync('groff', ['-man', '-Tascii', '-ww', '-P-cbou'], { input: text, encoding: 'utf8' })
    expect(shown.stderr).toBe('')
    const words = shown.stdout.replaceAll(/\s+/g, ' ')
    const command = outlined.find(({ path }) => file === `coterie-${path[0]}.1`)
    for (const { options } of allOf(command === undefined ? [] : [command]))
      for (const { long } of options) expect(words).toContain(long)
  })
})
