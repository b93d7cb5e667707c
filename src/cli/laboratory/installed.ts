// What the published package has in the place of here.ts: the commands of coterie-lab, where it is installed. Where it is not,
// a sentence that says how. Both packages are made from one commit, so their versions are the same or somebody has mixed them.

import { SettingsError } from '../../core/index.ts'
import { ownVersion } from '../version.ts'
import type { Laboratory } from './here.ts'

/** The laboratory is not installed, or not the one that belongs to this version. */
export class LaboratoryMissing extends SettingsError {}

/** What `coterie-lab/commands` gives. */
export interface Installed {
  readonly laboratory: Laboratory
  ownVersion(): string
}

/** The commands of the package that `find` finds; `version` is our own. */
export function laboratoryOf(find: () => Promise<Installed>, version: () => string): Laboratory {
  const load = async () => {
    const found = await find()
    const [theirs, ours] = [found.ownVersion(), version()]
    if (theirs === ours) return found.laboratory
    throw new LaboratoryMissing(
      `coterie-lab ${theirs} is installed beside coterie ${ours}, and does not fit. Install the same version: npm install coterie-lab@${ours}.`,
    )
  }
  return {
    sim: async () => (await load()).sim(),
    explore: async () => (await load()).explore(),
    lab: async () => (await load()).lab(),
  }
}

/** The package beside ours. */
export async function findInstalled(
  load: () => Promise<Installed> = () => import('coterie-lab/commands'),
): Promise<Installed> {
  try {
    return await load()
  } catch (error) {
    // What it depends on may be missing, too: that is no reason to install it again.
    if (!/ package 'coterie-lab'/.test((error as Error).message)) throw error
    throw new LaboratoryMissing(
      'the simulator, the explorer and the laboratory are a package of their own, which is not installed. Install it: npm install coterie-lab (with --global, if coterie was).',
    )
  }
}

export const laboratory: Laboratory = laboratoryOf(findInstalled, ownVersion)
