// A real browser for tests: Debian's Chromium, driven by Playwright, on a page served on localhost.

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'

export const hasBrowser = existsSync(PROGRAM)

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Bundles a module, opens a page on which its exports are `globalThis.module`, and closes everything afterwards. */
export async function withPage<T>(entry: string, use: (page: Page) => Promise<T>): Promise<T> {
  const bundle = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'module',
    platform: 'browser',
    target: 'es2022',
  })
  return withScript(bundle.outputFiles[0]!.text, use)
}

/** Opens a page that has run this script, and closes everything afterwards. */
export async function withScript<T>(script: string, use: (page: Page) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/bundle.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : '<!doctype html><title>test</title><script src="/bundle.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const profile = await mkdtemp(join(tmpdir(), 'coterie-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: PROGRAM,
    headless: true,
    args: FLAGS,
  })
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return await use(page)
  } finally {
    await context.close()
    server.close()
    await rm(profile, { recursive: true, force: true })
  }
}
