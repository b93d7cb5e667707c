import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Property tests draw from a pinned seed; files without any are spared the import. */
const pinnedSeeds = {
  name: 'property tests pin their seed',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    const properties = path('./test/support/properties.ts')
    if (id.includes('/node_modules/') || id === properties || !code.includes("from 'fast-check'")) return undefined
    return { code: `import ${JSON.stringify(properties)};${code}`, map: null }
  },
}

export default defineConfig({
  plugins: [pinnedSeeds],
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
    // By default one core is left free, which of two cores leaves one.
    maxWorkers: '100%',
  },
})
