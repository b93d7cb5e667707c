// What users import is what they get, and it needs no server framework and no database driver at run time.

import { readdir, readFile } from 'node:fs/promises'
import * as guards from 'coterie/guards'
import { describe, expect, it } from 'vitest'

const folder = new URL('.', import.meta.url)

describe('coterie/guards', () => {
  it('exports these names', () => {
    expect(Object.keys(guards).sort()).toEqual([
      'MISSING_TOKEN_SQLSTATE',
      'NotCommitted',
      'RESOURCE_BYTES_MAX',
      'RESOURCE_HEADER',
      'STALE_TOKEN_SQLSTATE',
      'StaleToken',
      'TOKEN_HEADER',
      'TOKEN_MAX',
      'WriteUncertain',
      'createGuard',
      'decide',
      'expressGuard',
      'fastifyGuard',
      'fileGuard',
      'fileTokens',
      'installGuard',
      'installationSql',
      'memoryTokens',
      'parseToken',
      'staleToken',
      'tokenHeaders',
      'tokenOf',
      'withToken',
    ])
  })

  it('imports Node, core and itself only', async () => {
    const files = (await readdir(folder)).filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    for (const file of files) {
      const source = await readFile(new URL(file, folder), 'utf8')
      for (const [, from] of source.matchAll(/^(?:import|export|\}).*? from '([^']+)'$/gm)) {
        expect(from, file).toMatch(/^(?:node:|\.\/|\.\.\/core\/index\.ts$)/)
      }
    }
  })
})
