// The laboratory as the published package finds it: there, missing, broken, or of another version.

import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { SettingsError } from '../../core/index.ts'
import { outline } from '../outline.ts'
import { findInstalled, type Installed, LaboratoryMissing, laboratoryOf } from './installed.ts'

const command = (name: string) => async () => new Command(name).option('--seeds <number>')
const installed: Installed = {
  laboratory: { sim: command('sim'), explore: command('explore'), lab: command('lab') },
  ownVersion: () => '1.2.3',
}
const failing = (message: string) => () => Promise.reject(new Error(message))
const missing = failing("Cannot find package 'coterie-lab' imported from /x/coterie/dist/shared/commands.js")

describe('the laboratory', () => {
  it.each(['sim', 'explore', 'lab'] as const)('gives its command %s where it is installed', async name => {
    const found = laboratoryOf(
      async () => installed,
      () => '1.2.3',
    )
    expect((await found[name]()).name()).toBe(name)
  })

  it('says what to install where it is not', async () => {
    await expect(findInstalled(missing)).rejects.toThrow(/npm install coterie-lab/)
    await expect(findInstalled(missing)).rejects.toBeInstanceOf(SettingsError)
  })

  it('passes on what else goes wrong, also a package that is missing inside it', async () => {
    const inside = failing("Cannot find package 'piscina' imported from /x/coterie-lab/dist/shared/sim.js")
    await expect(findInstalled(inside)).rejects.toThrow("Cannot find package 'piscina'")
    await expect(findInstalled(inside)).rejects.not.toBeInstanceOf(LaboratoryMissing)
  })

  it('of another version is refused, with both versions', async () => {
    const other = laboratoryOf(
      async () => installed,
      () => '1.2.4',
    )
    await expect(other.sim()).rejects.toThrow('coterie-lab 1.2.3 is installed beside coterie 1.2.4')
    await expect(other.sim()).rejects.toThrow('npm install coterie-lab@1.2.4')
  })

  it('is completed by its names alone where it is missing', async () => {
    const { sim } = laboratoryOf(
      () => findInstalled(missing),
      () => '1.2.3',
    )
    const commands = {
      sim: { description: 'simulates', load: sim },
      get: { description: 'gets', load: command('get') },
    }
    const [first, second] = await outline(commands)
    expect([first!.path, first!.description]).toEqual([['sim'], 'simulates'])
    expect(first!.options.map(({ long }) => long)).not.toContain('--seeds')
    expect(second!.options.map(({ long }) => long)).toContain('--seeds')
  })
})
