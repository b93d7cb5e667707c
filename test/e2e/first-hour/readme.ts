// Every line of the README's shell blocks, and the two programs as it says to run them.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

/** Lines that take minutes, or that download: what is played in their place. */
const INSTEAD: Readonly<Record<string, string>> = {
  'coterie sim lock --seeds 1000': 'coterie sim lock --seeds 20',
  'coterie sim ordering --seeds 100': 'coterie sim ordering --seeds 4',
  'coterie explore lock': 'coterie explore lock --system list-restart',
  'npx coterie lab serve': 'timeout 2 coterie lab serve --port 0 || true',
}

const STARTED = 'npm ci && npm start'
const WATCHED = 'coterie watch / --recursive'
const LOCKED = 'coterie lock invoices -- sleep 10'
/** Played while the group runs, in the clone. */
const GROUP = ['coterie set /colour blue', LOCKED, 'coterie locks', 'coterie status']
const HEARD = "coterie subscribe 'eu/#'"
const PUBLISHED = [
  'coterie publish eu/xetra/ACME price=9.5',
  `coterie subscribe '{"price": {"lt": 10}}' --name audit --from start --count 1`,
  'coterie events',
]
const SHOP = [
  'mkdir shop && cd shop && npm init -y && npm pkg set type=module',
  'npm install ../coterie',
  'npm install --save-dev typescript @types/node',
]
const BROKEN = [
  'coterie sim lock --servers 5 --liars 1 --unsafe',
  'coterie sim lock --servers 5 --liars 1 --unsafe --seed 67 --only 3,4',
]
/** npm test is what runs before this, in CI. */
const ELSEWHERE = ['npm ci && npm test']

/** What is known of the README: its lines and these are the same, which a test checks. */
export const knownLines: readonly string[] = [
  ...[STARTED, WATCHED, ...GROUP, HEARD, ...PUBLISHED, ...SHOP],
  ...[...Object.keys(INSTEAD), 'coterie lab list', ...BROKEN, ...ELSEWHERE],
]

export async function playReadme(world: World): Promise<void> {
  const text = readFileSync(join(world.clone, 'README.md'), 'utf8')
  await playGroup(world)
  await playShop(world, text)
  for (const [line, instead] of Object.entries(INSTEAD)) await world.line(instead, {}, `${line}  (as ${instead})`)
  await world.line('coterie lab list', { says: /backoff-response/ })
  for (const line of BROKEN) await world.line(line, { code: 1, says: /held by/ })
}

/** Lines of the blocks for a shell, without what is said beside them. */
export function shellLines(page: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(match => match[1]!)
  return blocks.flatMap(block => block.split('\n').map(line => line.replace(/\s+#.*$/, '').trim())).filter(Boolean)
}

async function playGroup(world: World): Promise<void> {
  const at = { in: world.clone }
  const started = await world.start('npm start', /ready after/, at, `${STARTED}  (as npm start)`)
  const watched = await world.start(WATCHED, /^/, at)
  // A watch does not say when it has begun.
  await new Promise(resolve => setTimeout(resolve, 2_000))
  await world.line('coterie set /colour blue', at)
  const locked = await world.start(LOCKED, /^/, at)
  for (let tries = 0; tries < 100 && !started.output().includes('invoices held by'); tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  await world.line('coterie locks', { ...at, says: /invoices {2}held by admin/ })
  await world.line('coterie status', { ...at, says: /locks work/ })
  if (!watched.output().includes('created /colour')) world.failed(WATCHED, 'it did not show "created /colour"')
  if (!started.output().includes('invoices held by')) world.failed(LOCKED, 'npm start did not show it')
  await watched.stop('SIGINT', 0)
  await locked.stop('SIGINT', 130)
  await playEvents(world)
  // npm ends itself by the signal that it was given.
  await started.stop('SIGINT', 'SIGINT')
  if (!started.output().includes('all servers stopped')) world.failed(STARTED, 'Ctrl-C did not stop the servers')
}

async function playEvents(world: World): Promise<void> {
  const at = { in: world.clone }
  const heard = await world.start(HEARD, /listening to channel/, at)
  const says = [
    /^default\/admin\/[0-9a-f]{32}\/1$/m,
    /eu\/xetra\/ACME {2}price=9\.5/,
    /audit of admin: has handled all/,
  ]
  for (const [place, line] of PUBLISHED.entries()) await world.line(line, { ...at, says: says[place]! })
  for (let tries = 0; tries < 100 && !heard.output().includes('price=9.5'); tries++)
    await new Promise(resolve => setTimeout(resolve, 50))
  if (!heard.output().includes('eu/xetra/ACME')) world.failed(HEARD, 'it did not show the event')
  await heard.stop('SIGINT', 0)
}

/** Installed by links: the clone, and the packages that stand here. */
async function playShop(world: World, text: string): Promise<void> {
  await world.line(SHOP[0]!)
  const shop = join(world.folder, 'shop')
  mkdirSync(join(shop, 'node_modules', '@types'), { recursive: true })
  symlinkSync(world.clone, join(shop, 'node_modules', 'coterie'))
  for (const name of ['typescript', '@types/node', 'undici-types', '.bin'])
    symlinkSync(join(world.root, 'node_modules', name), join(shop, 'node_modules', name))
  writeFileSync(join(shop, 'tsconfig.json'), blockOf(text, 'json'))
  writeFileSync(join(shop, 'first.ts'), blockOf(text, 'ts'))
  writeFileSync(join(shop, 'first.mjs'), blockOf(text, 'js'))
  await world.line('npx tsc && node first.js', { in: shop, says: /^invoices$/m })
  await world.line('node first.mjs', { in: shop, says: /^true$/m })
}

/** The first block of that language. */
function blockOf(page: string, language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)
  if (block === null) throw new Error(`README.md has no block of ${language}`)
  return block[1]!
}
