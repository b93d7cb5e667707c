// Programs that come from Debian's packages: installed where that is possible, explained where not.

import { execFileSync } from 'node:child_process'

/** Why the program is not there and could not be installed, or undefined. */
export function missing(program: string, debianPackage: string): string | undefined {
  if (isThere(program)) return undefined
  if (process.getuid?.() === 0 && isThere('apt-get')) {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
    try {
      execFileSync('apt-get', ['update', '-qq'], options)
      execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], options)
    } catch {
      // Told below.
    }
  }
  if (isThere(program)) return undefined
  return `${program} is not there and could not be installed (as root: apt-get install ${debianPackage})`
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
