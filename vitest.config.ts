import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^coterie\/(.+)$/, replacement: path('./src/$1/index.ts') },
      { find: /^coterie$/, replacement: path('./src/index.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/support/summary.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
