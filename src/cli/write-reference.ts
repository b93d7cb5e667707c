// npm run docs: writes the reference of the command line from the commands' own help.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commandReference } from './reference.ts'

const file = fileURLToPath(new URL('../../../docs/reference/cli.md', import.meta.url))
writeFileSync(file, await commandReference())
process.stdout.write(`wrote ${file}\n`)
