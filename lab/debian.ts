// Programs that an experiment needs and that come from the system's packages. Nothing is installed from here: that is
// for the machine's owner to decide.

import { execFileSync } from 'node:child_process'

/** What to install, in a sentence, where the program is not there. */
export function missing(program: string, debianPackage: string): string | undefined {
  if (isThere(program)) return undefined
  return `${program} is not there. Install it (Debian, as root: apt-get install ${debianPackage}) and run this again`
}

function isThere(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
