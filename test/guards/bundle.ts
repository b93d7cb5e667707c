// A TypeScript program of a test, as one file that Node runs.

import { join } from 'node:path'
import { build } from 'esbuild'

export async function bundle(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' })
  return outfile
}
