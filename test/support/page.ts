// The laboratory's page for tests: built once, where the command line looks for it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Builds the page where it is not built yet: `npm test` builds it first. */
export async function builtPage(): Promise<void> {
  if (existsSync(join(root, 'dist/page/core.js'))) return
  const { buildPage } = (await import(join(root, 'page/build.mjs'))) as { buildPage(folder: string): Promise<unknown> }
  await buildPage(join(root, 'dist/page'))
}
