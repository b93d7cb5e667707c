// The laboratory's page for tests: built where the command line looks for it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
/** Where the build puts it. */
export const PAGE = join(root, 'dist/page')

/** Builds the page where it is not built yet: `npm test` builds it first. */
export async function builtPage(): Promise<void> {
  if (existsSync(join(PAGE, 'core.js'))) return
  const { buildPage } = (await import(join(root, 'page/build.mjs'))) as { buildPage(folder: string): Promise<unknown> }
  await buildPage(PAGE)
}
