import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, relative, resolve } from 'node:path'
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

/**
 * After a build, tests load what was built, as users do: Node's own modules load faster than transformed ones, and calls
 * between them cost less. Only `npm test` asks for it, because it builds first; elsewhere the source is what counts.
 */
const builtModules = {
  name: 'tests load what was built',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined) {
    const file = source.startsWith('.') && importer !== undefined ? resolve(dirname(importer), source) : source
    const inside = relative(path('.'), file)
    if (!/^(?:src|lab)\/.*\.ts$/.test(inside) || inside.endsWith('.test.ts')) return undefined
    const built = path(`./dist/${inside.replace(/\.ts$/, '.js')}`)
    return existsSync(built) ? built : undefined
  },
}
const built = process.env.COTERIE_BUILT === '1' ? { plugins: [builtModules] } : {}

/** Folders of pure code: their tests change nothing that others see, and share what they load. */
const pure =
  'bandits,core,crypto,election,events,filters,ledger,lock,membership,node,ordering,papers,play,simulator,slots'

/** What computes and nothing else gives the same result however long it takes: on a machine that others use, or that was asleep. */
const PURE_LIMIT_MS = 24 * 3_600_000

/** These put other modules in place of Node's, or count what their process has open: each in a process of its own. */
const apart = ['src/cli/under/*.test.ts', 'src/guards/file*.test.ts', 'src/runtime/transport/transport.test.ts']

/** What the repository looks like, and what is packed: part of `npm run check`, not of `npm test`, as the laboratory's is `npm run lab:test`. */
const shape = [
  'house',
  'tidy',
  'documents',
  'command-lines',
  'loading',
  'package',
  'package-use',
  'compiled-examples',
  'api-reference',
].map(name => `test/${name}.test.ts`)

/**
 * Tests of real processes wait for a machine that others use, too: one that fails is tried once more, and the last
 * lines of the run name it. Pure tests have no such excuse.
 */
const SECOND_TRIES = 1

export default defineConfig({
  plugins: [pinnedSeeds],
  resolve: {
    alias: [
      { find: 'coterie-lab/commands', replacement: path('./src/cli/laboratory/here.ts') },
      { find: /^coterie(?:-lab)?\/(.+)$/, replacement: path('./src/$1/index.ts') },
      { find: /^coterie$/, replacement: path('./src/index.ts') },
    ],
  },
  test: {
    reporters: ['default', './test/support/summary.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    server: { deps: { external: [/\/dist\/(?:src|lab)\//] } },
    // One more than there are cores: real processes are waited for, and meanwhile somebody else computes.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        ...built,
        test: { name: 'pure', include: [`src/{${pure}}/**/*.test.ts`], isolate: false, testTimeout: PURE_LIMIT_MS },
      },
      {
        extends: true,
        ...built,
        test: { name: 'lab', include: ['lab/**/*.test.ts'], isolate: false, retry: SECOND_TRIES },
      },
      {
        extends: true,
        ...built,
        test: {
          name: 'product',
          include: ['src/**/*.test.ts'],
          exclude: [`src/{${pure}}/**`, ...apart],
          isolate: false,
          retry: SECOND_TRIES,
        },
      },
      {
        extends: true,
        ...built,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          exclude: [...shape, 'node_modules/**'],
          retry: SECOND_TRIES,
        },
      },
      // From the source: no other module can be put in place of what a built one imports.
      { extends: true, test: { name: 'apart', include: [...apart], retry: SECOND_TRIES } },
      { extends: true, test: { name: 'shape', include: [...shape] } },
    ],
  },
})
