// The page's scripts in Firefox: no driver, the page itself sends what runs come to, to this test's server. It is the same in Node.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { sized } from '../support/long.ts'
import { builtPage, PAGE } from '../support/page.ts'
import { type Outcome, otherThanCarried, outcomesInNode, PLAYED } from '../support/played.ts'

const PROGRAM = '/usr/bin/firefox-esr'
const PATIENCE_MS = sized(90_000, 600_000)
const PROBE = `addEventListener('load', async () => {
  const addresses = await (await fetch('/addresses')).json()
  const outcomes = await coterieOutcomes(addresses)
  await fetch('/outcomes', { method: 'POST', body: JSON.stringify(outcomes) })
})`
/** Without first-run pages, and without anything that would be asked of another host. */
const PREFERENCES = [
  'user_pref("browser.shell.checkDefaultBrowser", false);',
  'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
  'user_pref("browser.startup.homepage_override.mstone", "ignore");',
  'user_pref("network.captive-portal-service.enabled", false);',
  'user_pref("network.connectivity-service.enabled", false);',
  'user_pref("app.normandy.enabled", false);',
  'user_pref("toolkit.telemetry.enabled", false);',
].join('\n')

const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
})

function serving(told: (outcomes: (Outcome | string)[]) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? ''
    if (request.method === 'POST') {
      let body = ''
      request.on('data', piece => (body += piece))
      request.on('end', () => {
        response.end()
        told(JSON.parse(body) as (Outcome | string)[])
      })
    } else if (name === '') {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>test</title><script src="core.js"></script><script src="probe.js"></script>')
    } else if (name === 'addresses') response.end(JSON.stringify(PLAYED))
    else if (name === 'probe.js') response.end(PROBE)
    else if (/^[a-z0-9-]+\.js$/.test(name) && existsSync(join(PAGE, name))) response.end(readFileSync(join(PAGE, name)))
    else response.writeHead(404).end()
  })
  ends.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)))
}

// Where Debian's Firefox is not installed there is nothing to ask: apt-get install firefox-esr.
it.skipIf(!existsSync(PROGRAM))(
  'runs come in Firefox to the hashes and verdicts of Node',
  async () => {
    await builtPage()
    const profile = mkdtempSync(join(tmpdir(), 'coterie-firefox-'))
    ends.push(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }))
    writeFileSync(join(profile, 'user.js'), PREFERENCES)
    const outcomes = await new Promise<(Outcome | string)[]>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Firefox sent nothing')), PATIENCE_MS)
      ends.push(() => clearTimeout(timer))
      serving(resolve).then(server => {
        const { port } = server.address() as AddressInfo
        const args = ['--headless', '--no-remote', '--profile', profile, `http://127.0.0.1:${port}/`]
        const firefox = spawn(PROGRAM, args, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
        firefox.on('error', reject)
        ends.unshift(() => firefox.kill('SIGKILL'))
      }, reject)
    })
    expect(outcomes).toEqual(outcomesInNode(PLAYED))
    expect(otherThanCarried(PLAYED, outcomes)).toEqual([])
  },
  PATIENCE_MS + 60_000,
)
