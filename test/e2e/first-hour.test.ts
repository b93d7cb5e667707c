// The script that plays a new user's first hour (npm run first-hour, in CI) knows every line that a new user is shown.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { allOf, outline } from '../../src/cli/outline.ts'
import { root } from '../support/processes.ts'
import { knownExamples } from './first-hour/help.ts'
import { knownLines, shellLines } from './first-hour/readme.ts'

const sorted = (lines: readonly string[]) => [...new Set(lines)].sort()

it('every line of the README is played', () => {
  const written = shellLines(readFileSync(join(root, 'README.md'), 'utf8'))
  expect(sorted(knownLines)).toEqual(sorted(written))
})

it('every example of every help is played', async () => {
  const examples = allOf(await outline(commands)).flatMap(({ after }) =>
    [...after.matchAll(/^ +\$ (.+)$/gm)].map(match => match[1]!),
  )
  expect(examples.length).toBeGreaterThan(50)
  expect(sorted(knownExamples)).toEqual(sorted(examples))
})
