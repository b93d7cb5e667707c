// What `coterie slots NAME let-go` does: a name that was opened by mistake is free to mean something else.

import { SettingsError } from '../../core/index.ts'
import { loadNodeConfig } from '../../runtime/config/config.ts'
import { letGoOfSlots } from '../../runtime/let-go.ts'
import { print } from '../output.ts'
import { printable } from '../printable.ts'
import type { SlotsLine } from './member.ts'

export async function letGo(name: string, line: SlotsLine): Promise<void> {
  if (line.config === undefined) throw new SettingsError("which member? Name a member's folder with --config.")
  const config = await loadNodeConfig(line.config)
  if (config.role !== 'member') {
    throw new SettingsError(`${config.file} is a ${config.role}'s; a name is let go by a member, with its folder.`)
  }
  if (!(await letGoOfSlots(config, name))) {
    throw new SettingsError(`${config.name} has not opened the slots ${JSON.stringify(name)}: nothing was changed.`)
  }
  print(line.json, { member: config.name, slots: name }, () => {
    return `${config.name} let go of '${printable(name)}'; it may be opened with other settings now`
  })
}
