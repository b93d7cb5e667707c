// Writes the manual pages into man/, from the commands themselves: a part of npm run build and npm run docs.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commands } from '../commands.ts'
import { outline } from '../outline.ts'
import { manualPages } from './roff.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  description: string
}
const folder = join(root, 'man')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const { file, text } of manualPages(await outline(commands), description, version)) {
  writeFileSync(join(folder, file), text)
}
