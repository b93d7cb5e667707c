// npm run package, its last step: packs what make.mjs made, and says what it weighs.

import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packages, root } from './packages.mjs'

const to = fileURLToPath(new URL('dist/packages/', root))
for (const { manifest } of packages) {
  const args = ['pack', `./${manifest.name}`, '--json', '--pack-destination', '.']
  const [{ filename, size, entryCount }] = JSON.parse(
    execFileSync('npm', args, { cwd: to, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  process.stdout.write(`dist/packages/${filename}: ${size.toLocaleString('en')} bytes, ${entryCount} files\n`)
}
