// Every example of every help, typed as it is printed where that can be: `as` says what is typed in its place where it
// names a folder of the system or a port, downloads, or takes minutes.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { banditLines, playBandits } from './help-bandits.ts'
import { ledgerScenes } from './help-ledger.ts'
import { memberLines, playMembers } from './help-members.ts'
import type { Scene, World } from './world.ts'

/** Lines whose play is longer than a line: this file and help-members.ts play them. */
const STAGED = [
  // With --out, and from another seed.
  'coterie lab run backoff-response',
  'coterie up',
  'coterie up --dir /var/lib/shop --liars 0',
  'coterie serve shop/servers/server-1',
  'coterie serve --rejoin shop/servers/server-1',
  'coterie watch /services --recursive',
  'coterie watch /services --recursive --values --json',
]

/** With folders and files alone. */
const ALONE: readonly Scene[] = [
  { line: 'coterie init shop --liars 1', says: /made group shop/ },
  {
    line: 'coterie init shop --hosts a.example.org,b.example.org,c.example.org --client till-1 --client till-2',
    as: 'rm -r shop && coterie init shop --hosts a.example.org,b.example.org,c.example.org --client till-1 --client till-2',
    says: /operators: till-1/,
  },
  { line: 'coterie client add till-3 --group shop' },
  { line: 'coterie renew shop server-1 till-3', says: /renewed .*till-3/ },
  { line: 'coterie renew shop', says: /renewed .*server-3/ },
  { line: 'coterie doctor shop/servers/server-1 --no-probe' },
  { line: 'coterie doctor shop', as: 'coterie doctor shop --no-probe' },
  { line: 'coterie sim lock --seeds 1000', as: 'coterie sim lock --seeds 10' },
  { line: 'coterie sim lock --servers 5 --liars 1 --unsafe', code: 1 },
  { line: 'coterie sim lock --seed 17 --diagram run.svg' },
  {
    line: "coterie sim --play '#run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff'",
    says: /is held by client-1/,
    code: 1,
  },
  { line: 'coterie explore lock', as: 'coterie explore lock --system list-restart' },
  { line: 'coterie explore lock --bug no-drift-factor', code: 1 },
  { line: 'coterie explore ledger', as: 'coterie explore ledger --system two-in-one', says: /all of them safe/ },
  {
    line: 'coterie explore ordering --system three --depth 18',
    as: 'coterie explore ordering --system three --depth 12',
  },
  { line: 'coterie dedup --memory 1MB --window 1000000 < access.log > first-seen.log' },
  { line: 'coterie dedup --field 1 --only-duplicates --report access.log access.log.1 > again.log' },
  { line: 'coterie dedup --snapshot seen.state --key-file seen.key < today.log' },
  { line: 'coterie dedup advise --memory 100kB --window 50000' },
  { line: 'coterie dedup advise --memory 100kB --window 5000 --alphabet 1000000' },
  { line: `coterie filter test '{"price": {"lt": 10}}' < events.jsonl` },
  { line: 'coterie filter test --language sns @policy.json --explain < events.jsonl' },
  {
    line: `echo '{"topic": "eu/xetra/ACME"}' | coterie filter test --language mqtt 'eu/+/ACME'`,
    says: /eu\/xetra\/ACME/,
  },
  {
    line: 'coterie channel new prices --group shop --writer till-1 --reader till-2 --search symbol=equal',
    says: /epoch 1 of channel prices/,
  },
  { line: 'coterie channel add prices till-3 --reads --group shop', says: /readers: till-2, till-3/ },
  {
    line: 'coterie channel rotate prices --group shop --nats nats://127.0.0.1',
    as: 'coterie channel rotate prices --group shop',
    says: /epoch 3 of channel prices/,
  },
  {
    line: 'coterie channel remove prices till-2 --group shop --nats nats://127.0.0.1',
    as: 'coterie channel remove prices till-2 --group shop',
    says: /readers: till-3/,
  },
  {
    line: 'coterie matcher --nats nats://127.0.0.1 --channel 3f9a01c2d4e5f60718293a4b5c6d7e8f',
    as: 'coterie matcher --nats nats://127.0.0.1:1 --channel 3f9a01c2d4e5f60718293a4b5c6d7e8f',
    code: 1,
  },
  { line: 'coterie lab list' },
  { line: 'coterie lab run backoff-response --out results' },
  {
    line: 'coterie lab run --all --json',
    as: 'coterie lab run errata-oma-decoding trivial-token --json',
    says: /"outside": 0/,
  },
  {
    line: 'coterie lab run errata-bound errata-best --scale full --seed 7',
    as: 'coterie lab run errata-oma-decoding trivial-token --seed 7',
    says: /2 experiments, 8 figures judged, 0 outside/,
  },
  { line: 'coterie lab serve', as: 'timeout 2 coterie lab serve --port 0 || true', says: /the laboratory is at/ },
  { line: 'coterie lab export break-it', says: /index\.html/ },
  { line: 'coterie completion bash > ~/.local/share/bash-completion/completions/coterie' },
  { line: 'coterie completion zsh > ~/.zsh/functions/_coterie' },
  { line: 'coterie completion fish > ~/.config/fish/completions/coterie.fish' },
]

/** With a group that runs, in its folder. */
const SERVED: readonly Scene[] = [
  {
    line: `coterie publish eu/xetra/ACME price=9.5 halted=false --payload '{"volume": 300}'`,
    says: /^default\/admin\/[0-9a-f]{32}\/1$/m,
  },
  {
    line: 'generate-report | coterie publish reports/daily --file -',
    as: 'echo report | coterie publish reports/daily --file -',
  },
  {
    line: 'coterie publish --lines attributes < events.jsonl',
    says: /(^default\/admin\/[0-9a-f]{32}\/\d+\n){2}/m,
  },
  { line: 'coterie publish state/door open=true --retained' },
  { line: "coterie subscribe 'eu/#'", as: "coterie subscribe 'eu/#' --from start --count 1", says: /eu\/xetra\/ACME/ },
  {
    line: `coterie subscribe '{"price": {"lt": 10}}' --name audit --from start --format json`,
    as: `coterie subscribe '{"price": {"lt": 10}}' --name audit --from start --format json --count 1`,
    says: /"price": ?9.5/,
  },
  {
    line: "coterie subscribe 'jobs/#' --name work --queue",
    as: "coterie subscribe '#' --name work --queue --from start --count 1",
    says: /reports|eu|state/,
  },
  { line: 'coterie events', says: /default {2}5 events kept, of admin/ },
  { line: 'coterie lock invoices -- ./send-invoices.sh --all', says: /sent with token \d+/ },
  { line: 'coterie lock invoices --try -- ./send-invoices.sh || echo "not now"', says: /sent with token/ },
  { line: 'coterie lock invoices --timeout 1m30s -E 0 -- ./send-invoices.sh', says: /sent with token/ },
  { line: 'coterie locks', says: /no lock is held/ },
  { line: 'coterie unlock invoices --force', says: /nobody held invoices/ },
  { line: 'coterie unlock --reset-floor', says: /nothing was changed/ },
  { line: 'coterie set /services/mail 10.0.0.7' },
  { line: 'coterie set /services/mail 10.0.0.8 --if-version 0' },
  { line: 'coterie get /services/mail', says: /^10\.0\.0\.8$/ },
  { line: 'coterie get /services/mail --json', says: /"value":"10\.0\.0\.8".*"version":1/ },
  { line: 'coterie set /services/key - < public.pem' },
  {
    line: 'coterie get /services/key > public.pem',
    as: 'coterie get /services/key > again.pem && cmp public.pem again.pem',
  },
  { line: 'coterie list /services', says: /^mail\nkey\n$/ },
  { line: 'coterie list / --recursive', says: /^\/services\/mail$/m },
  {
    line: "coterie txn --if '/colour = blue' --set '/colour green' --create '/colour/before blue'",
    as: "coterie set /colour blue && coterie txn --if '/colour = blue' --set '/colour green' --create '/colour/before blue'",
  },
  { line: 'coterie dump > tree.jsonl', says: /entries; left out: 0 ephemeral/ },
  { line: 'coterie restore < tree.jsonl', says: /entries restored/ },
  { line: 'coterie lease grant --ttl 30s', says: /^\d+\.\d+$/m },
  { line: 'coterie lease grant --ttl 1m', says: /^\d+\.\d+$/m },
  // The number of a lease is another one each time.
  { line: 'coterie lease renew 41.0', as: 'coterie lease renew "$(coterie lease grant --ttl 1m)"' },
  {
    line: 'coterie lease keep 41.0 --every 10s',
    as: 'timeout 2 coterie lease keep "$(coterie lease grant --ttl 1m)" --every 10s || true',
  },
  { line: 'coterie lease revoke 41.0', as: 'coterie lease revoke "$(coterie lease grant --ttl 1m)"' },
  { line: 'coterie lease set /services/mail 10.0.0.7 --ttl 30s' },
  { line: 'coterie lease set /services/mail 10.0.0.7 --ttl 1m' },
  { line: 'coterie delete /services/mail' },
  { line: 'coterie delete /services --recursive' },
  { line: 'coterie object', says: /tree {2}server-1/ },
  {
    line: 'coterie object stock',
    as: 'coterie set /apples 10 --tree stock && coterie object stock',
    says: /stock {2}server/,
  },
  { line: 'coterie object repair stock', says: /nothing to repair/ },
  { line: 'coterie object delete stock' },
  { line: 'coterie status --config shop/clients/admin', says: /locks work/ },
  ...ledgerScenes,
]

/** What is known of the helps: their examples and these are the same, which a test checks. */
export const knownExamples: readonly string[] = [
  ...STAGED,
  ...memberLines,
  ...banditLines,
  ...[...ALONE, ...SERVED].map(({ line }) => line),
]

export async function playHelp(world: World): Promise<void> {
  await playMembers(world)
  await playBandits(world)
  await playAlone(world)
  await playServed(world)
}

/** Two events, a line each. */
const EVENTS = '{"price": 9.5, "symbol": "ACME"}\n{"price": 12, "symbol": "ACME"}\n'

async function playScene(world: World, { line, as = line, ...typed }: Scene): Promise<void> {
  await world.line(as, typed, as === line ? line : `${line}  (as ${as})`)
}

async function playAlone(world: World): Promise<void> {
  const folder = join(world.folder, 'alone')
  mkdirSync(folder)
  const log = Array.from({ length: 300 }, (_, place) => `10.0.0.${place % 50} GET /${place}\n`).join('')
  writeFileSync(join(folder, 'events.jsonl'), EVENTS)
  writeFileSync(join(folder, 'policy.json'), '{"price": [{"numeric": ["<", 10]}]}')
  for (const name of ['access.log', 'access.log.1', 'today.log']) writeFileSync(join(folder, name), log)
  for (const home of ['.local/share/bash-completion/completions', '.zsh/functions', '.config/fish/completions'])
    mkdirSync(join(world.folder, 'home', home), { recursive: true })
  for (const scene of ALONE) await playScene(world, { in: folder, ...scene })
}

/** One group for both ways to name it: `coterie up` in the user's folder, and by --config. */
async function playServed(world: World): Promise<void> {
  const folder = join(world.folder, 'served')
  mkdirSync(folder)
  writeFileSync(join(folder, 'send-invoices.sh'), '#!/bin/sh\necho sent with token $COTERIE_TOKEN\n', { mode: 0o755 })
  writeFileSync(join(folder, 'public.pem'), 'a key\nof two lines\n')
  writeFileSync(join(folder, 'events.jsonl'), EVENTS)
  const at = { in: folder }
  const up = await world.start('coterie up', /ready after/, at)
  symlinkSync('.coterie', join(folder, 'shop'))
  const valued = await world.start('coterie watch /services --recursive --values --json', /^/, at)
  const watched = await world.start('coterie watch /services --recursive', /^/, at)
  for (const scene of SERVED) await playScene(world, { ...at, ...scene })
  if (!watched.output().includes('deleted /services/mail'))
    world.failed('coterie watch', 'it did not show what was deleted')
  await watched.stop('SIGINT', 0)
  if (!valued.output().includes('"before":'))
    world.failed('coterie watch --values', 'it did not show what was there before')
  await valued.stop('SIGINT', 0)
  await up.stop('SIGINT', 0)
  const server = await world.start('coterie serve shop/servers/server-1', /"msg":"listening"/, at)
  await server.stop('SIGTERM', 0)
  await world.line('rm -r shop/servers/server-1/store', at)
  const anew = await world.start('coterie serve --rejoin shop/servers/server-1', /"msg":"listening"/, at)
  await anew.stop('SIGTERM', 0)
  const small = await world.start(
    'coterie up --dir small --liars 0',
    /ready after/,
    at,
    'coterie up --dir /var/lib/shop --liars 0  (as --dir small)',
  )
  await small.stop('SIGINT', 0)
}
