// The version of the package that this file belongs to.

import { readFileSync } from 'node:fs'

/** As its package.json says. */
export function ownVersion(): string {
  const file = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
