// The laboratory's page for tests: built where the command line looks for it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
/** Where the build puts it. */
export const PAGE = join(root, 'dist/page')

type Sizes = Readonly<Record<string, { readonly bytes: number; readonly gzip: number }>>

interface PageBuild {
  buildPage(folder: string): Promise<Sizes>
  sizesIn(folder: string): Sizes
  neededFor(folder: string, names: readonly string[]): ReadonlySet<string>
}

const pageBuild = () => import(join(root, 'page/build.mjs')) as Promise<PageBuild>

/** Builds the page where it is not built yet: `npm test` builds it first. */
export async function builtPage(): Promise<void> {
  if (existsSync(join(PAGE, 'core.js'))) return
  await (await pageBuild()).buildPage(PAGE)
}

/** What each file of the built page weighs. */
export async function pageSizes(): Promise<Sizes> {
  return (await pageBuild()).sizesIn(PAGE)
}

/** The files of the built page that these scripts need. */
export async function pageFilesFor(names: readonly string[]): Promise<readonly string[]> {
  return [...(await pageBuild()).neededFor(PAGE, names)]
}
