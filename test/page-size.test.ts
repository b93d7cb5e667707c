// What the built page weighs: the first view, and everything that runs. What experiments measured is data, and not counted.

import { beforeAll, describe, expect, it } from 'vitest'
import { builtPage, pageFilesFor, pageSizes } from './support/page.ts'

const FIRST_VIEW_GZIP_MAX = 60_000
const PROTOCOLS_GZIP_MAX = 220_000
const RAW_MAX = 1_000_000
const FIRST_VIEW = ['index.html', 'style.css', 'icon.svg', 'core.js']
const PROTOCOLS = ['core', 'duels', 'lock', 'redlock', 'ordering', 'members', 'slots', 'mutex']

beforeAll(builtPage)

describe('the built page', () => {
  it('shows the first level with 60 KB, all files counted', async () => {
    const sizes = await pageSizes()
    expect(sum(FIRST_VIEW.map(file => sizes[file]!.gzip))).toBeLessThanOrEqual(FIRST_VIEW_GZIP_MAX)
  })
  it('holds the simulator and all protocols in 220 KB, and in less than 1 MB unpacked', async () => {
    const sizes = await pageSizes()
    const files = await pageFilesFor(PROTOCOLS)
    expect(files.length).toBeGreaterThan(PROTOCOLS.length)
    expect(sum(files.map(file => sizes[file]!.gzip))).toBeLessThanOrEqual(PROTOCOLS_GZIP_MAX)
    expect(sum(files.map(file => sizes[file]!.bytes))).toBeLessThan(RAW_MAX)
  })
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
