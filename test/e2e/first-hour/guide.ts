// Every program of the guide, against the package as it was built: a file inside the clone finds it by its own name.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { examplesOf, promised } from '../../support/examples.ts'
import type { World } from './world.ts'

export async function playGuide(world: World): Promise<void> {
  const folder = join(world.clone, 'docs', 'guide')
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.md'))
  const examples = pages.flatMap(page => examplesOf(`docs/guide/${page}`, readFileSync(join(folder, page), 'utf8')))
  for (const { where, code, ignored } of examples) {
    // Those that need a group's folders say so; tests make the same calls.
    if (ignored) continue
    const file = join(world.clone, `${where.replaceAll(/\W+/g, '-')}.mjs`)
    const { code: plain } = await transform(code, { loader: 'ts', target: 'node20', format: 'esm', sourcefile: where })
    writeFileSync(file, plain)
    const said = await world.line(`node ${file}`, { in: world.clone }, where)
    for (const words of promised(code)) if (!words.test(said)) world.failed(where, `it never said ${words}`)
  }
}
