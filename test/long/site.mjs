// node test/long/site.mjs: builds the site of the documents (npm run docs:site) and tries it in Chromium as a reader does, with
// every request but those to its own server refused: the search finds pages, links lead on, the lab's page plays, and what was
// read before is still there when the server is gone.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../..', import.meta.url))
const out = join(root, '.site/out')
if (!process.argv.includes('--built')) execFileSync('node', ['site/build.mjs'], { cwd: root, stdio: 'inherit' })

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
}
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname))
  const named = join(out, path)
  const file = [named, `${named}.html`, join(named, 'index.html')].find(
    each => existsSync(each) && statSync(each).isFile(),
  )
  if (file === undefined) return response.writeHead(404).end()
  response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
  response.end(readFileSync(file))
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
const home = `http://127.0.0.1:${server.address().port}/`

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const context = await browser.newContext({ reducedMotion: 'reduce' })
const refused = []
const errors = []
await context.route('**/*', route => {
  const url = route.request().url()
  if (url.startsWith(home) || /^(data|blob):/.test(url)) return route.continue()
  refused.push(url)
  return route.abort()
})
const page = await context.newPage()
page.on('pageerror', error => errors.push(String(error)))

await page.goto(home)
await page.waitForSelector('h1')
for (const [words, title] of [
  ['fencing token', /fencing/i],
  ['bug zoo', /break it yourself/i],
  ['backoff-response', /backoff/i],
]) {
  await page.keyboard.press('Control+k')
  await page.fill('#localsearch-input', words)
  await page.waitForSelector('#localsearch-list .result')
  const found = await page.$$eval('#localsearch-list .result', results => results.map(result => result.textContent))
  assert.ok(
    found.some(text => title.test(text)),
    `${words} finds ${title}: ${found.slice(0, 3).join(' | ')}`,
  )
  await page.keyboard.press('Escape')
  process.stdout.write(`search: '${words}' finds ${found.length} pages\n`)
}

const toLab = await page.$$eval('a', links =>
  links.map(link => link.getAttribute('href')).filter(href => href?.includes('/play/')),
)
assert.ok(
  toLab.some(href => href.includes('#level=1')),
  `the first page leads to level 1: ${toLab.join(' ')}`,
)
await page.goto(`${home}play/index.html#level=1`)
await page.waitForSelector('[data-verdict="asks"]')
await page.click('[data-word="f"]')
await page.click('[data-word="f"]')
await page.waitForSelector('[data-verdict="broken"]')
await page.goto(`${home}play/index.html#experiments=backoff-response`)
await page.waitForSelector('.chart')
process.stdout.write('the lab’s page on the site: level 1 is won, an experiment is drawn\n')

// Without a server what is loaded goes on: the lab's page needs no other file for a view that was seen.
server.closeAllConnections()
server.close()
await context.setOffline(true)
await page.evaluate(() => {
  location.hash = '#level=1'
})
await page.waitForSelector('[data-verdict]')
await page.evaluate(() => {
  location.hash = '#experiments'
})
await page.waitForSelector('h1 >> text=Every table')
process.stdout.write('offline: what was loaded goes on\n')
assert.deepEqual({ refused, errors }, { refused: [], errors: [] })
await browser.close()
process.stdout.write('nothing was asked of another host, and nothing failed\n')
