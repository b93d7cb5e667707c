// coterie explore PROTOCOL: every interleaving of a small system.

import type { Command } from 'commander'
import { newCommand } from './output.ts'

export function exploreCommand(): Command {
  return newCommand('explore')
}
