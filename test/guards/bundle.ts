// A TypeScript program of a test, as one file that Node runs. Packages stay where they are installed, so the file is
// put inside this one's folder.

import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { root } from '../support/processes.ts'

export async function bundle(entry: string): Promise<string> {
  const outfile = join(root, 'dist/test-programs', `${basename(entry, '.ts')}.mjs`)
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    alias: { coterie: join(root, 'src/index.ts'), 'coterie/guards': join(root, 'src/guards/index.ts') },
  })
  return outfile
}
