// The laboratory's page in Chromium, opened from a disk with every request but those for files refused: a visitor plays the
// traitor, wins the first level and cannot win the second; every view pleases axe in both schemes; runs have Node's hashes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findExperiment, runExperiment } from '../../lab/index.ts'
import { labCommand } from '../../src/cli/commands/lab.ts'
import { simCommand } from '../../src/cli/commands/sim.ts'
import { zoo } from '../../src/play/zoo.ts'
import { hasBrowser } from '../support/browser.ts'
import { runCommand } from '../support/command.ts'
import { builtPage } from '../support/page.ts'
import { type Outcome, otherThanCarried, outcomesInNode, PLAYED } from '../support/played.ts'

let folder: string
let browser: Browser
/** A bug that an assertion of the machine itself notices. */
const THROWS = zoo.find(({ says }) => says.startsWith('a machine threw'))!
const refused: string[] = []
const errors: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  folder = mkdtempSync(join(tmpdir(), 'coterie-page-'))
  await builtPage()
  const { code } = await runCommand([labCommand()], ['lab', 'export', join(folder, 'site')])
  expect(code).toBe(0)
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(async () => {
  await browser?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** A page from the disk, without a network and without motion. */
async function opened(
  fragment: string,
  colorScheme: 'light' | 'dark' = 'light',
  bypassCSP = false,
  before?: () => void,
): Promise<Page> {
  const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce', bypassCSP })
  await context.route('**/*', route => {
    const url = route.request().url()
    if (/^(file|blob|data):/.test(url)) return route.continue()
    refused.push(url)
    return route.abort()
  })
  if (before !== undefined) await context.addInitScript(before)
  const page = await context.newPage()
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  await page.goto(`${pathToFileURL(join(folder, 'site/index.html'))}${fragment}`)
  await page.waitForSelector('h1')
  return page
}

const verdict = (page: Page) => page.getAttribute('[data-verdict]', 'data-verdict')

describe.skipIf(!hasBrowser)('the page, exported and opened from a disk', () => {
  it('lets a visitor win the first level with two clicks, and take the second back', async () => {
    const page = await opened('')
    expect(await page.textContent('h1')).toContain('you lie')
    expect(await verdict(page)).toBe('asks')
    await page.click('[data-word="f"]')
    expect(await verdict(page)).toBe('asks')
    await page.click('[data-word="f"]')
    expect(await verdict(page)).toBe('broken')
    expect(await page.textContent('.verdict')).toMatch(/is held by client-1 .* and client-2/)
    expect(await page.getAttribute('[data-won]', 'data-won')).toBe('yes')
    expect(await page.textContent('.quorum + .tally')).toContain('Two are inside at once')
    const address = new URL(page.url()).hash
    expect(address).toContain('say=server-5:ff')
    await page.click('text=Take back')
    await page.click('[data-word="l"]')
    expect(await verdict(page)).toBe('asks')
    expect(await page.textContent('.tally')).not.toContain('Two are inside')
    await page.context().close()
    const again = await opened(address)
    expect(await verdict(again)).toBe('broken')
    await again.context().close()
  })

  it('tries every duel of the second level, with no click, and finds none that breaks it', async () => {
    const page = await opened('#level=2')
    await page.waitForSelector('[data-exhausted="yes"]')
    const count = async (name: string) => Number(await page.getAttribute('[data-exhausted]', name))
    expect([await count('data-tried'), await count('data-broken')]).toEqual([288, 0])
    await page.context().close()
  })

  it('goes back and forth by keys, and acts are done and undone without a pointer', async () => {
    const page = await opened('#v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff')
    const at = () => page.textContent('.where')
    const last = await at()
    await page.keyboard.press('ArrowLeft')
    expect(await at()).not.toBe(last)
    await page.keyboard.press('Home')
    expect(await at()).toMatch(/^1 \/ 29/)
    await page.keyboard.press('End')
    expect(await at()).toBe(last)
    await page.focus('#tab-events')
    for (const _ of ['states', 'acts']) await page.keyboard.press('ArrowRight')
    await page.selectOption('form select', 'drop')
    await page.focus('text=Do it')
    await page.keyboard.press('Enter')
    expect(await page.textContent('.acts')).toContain('drop message')
    expect(new URL(page.url()).hash).toContain('do=drop:')
    await page.focus('text=Undo')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).not.toContain('do=')
    await page.context().close()
  })

  it('says what is wrong with an address, shows none of its markup, and goes on', async () => {
    const page = await opened('#run=lock<img src=x onerror=alert(1)>&seed=1')
    expect(await page.textContent('[role=alert]')).toContain('is no name of something to run')
    expect(await page.$('img')).toBeNull()
    expect(await verdict(page)).toBe('asks')
    await page.context().close()
    const old = await opened('#v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff&h=00000000&c=0.0.9')
    expect(await old.textContent('.notice')).toMatch(/version 0\.0\.9; this build gives another run/)
    await old.context().close()
  })

  it(`gives ${PLAYED.length} runs the hashes and verdicts that Node and coterie sim --play give them`, async () => {
    const page = await opened('')
    const there = await page.evaluate(
      addresses =>
        (
          globalThis as unknown as { coterieOutcomes(a: readonly string[]): Promise<(Outcome | string)[]> }
        ).coterieOutcomes(addresses),
      PLAYED,
    )
    expect(PLAYED.length).toBeGreaterThanOrEqual(50)
    expect(there).toEqual(outcomesInNode(PLAYED))
    expect(otherThanCarried(PLAYED, there)).toEqual([])
    for (const [place, address] of PLAYED.entries()) {
      const { out } = await runCommand([simCommand()], ['sim', '--json', '--play', `#${address}`])
      const { traceHash, verdict, note } = JSON.parse(out) as { traceHash: string; verdict: string; note?: string }
      expect({ address, hash: traceHash, verdict, note }).toEqual({ address, ...(there[place] as Outcome) })
    }
    await page.context().close()
  }, 600_000)

  it('stops a run that takes too long in its worker, says so, and shows what was reached', async () => {
    // A clock on which every look takes a tenth of a second: the page gives the run to a worker at once, and there it has had
    // its five seconds in four hundred events.
    const page = await opened('#v=1&run=lock.n7.b1&seed=17&h=c6ce76dc', 'light', false, () => {
      let looks = 0
      performance.now = () => (looks += 100)
      const slow = 'let looks = 0; performance.now = () => (looks += 100);'
      globalThis.Blob = class extends Blob {
        constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
          super(options?.type === 'text/javascript' ? [slow, ...parts] : parts, options)
        }
      }
    })
    await page.waitForSelector('[data-verdict="stopped"]')
    expect(page.workers()).toHaveLength(1)
    expect(await page.textContent('.verdict')).toMatch(
      /Stopped here: it took longer than this page waits\. What was reached/,
    )
    const count = Number(/ \/ ([\d,]+)/.exec((await page.textContent('.where')) ?? '')?.[1]?.replace(',', ''))
    expect(count).toBeGreaterThan(50)
    expect(count).toBeLessThan(2_000)
    // Of a run that was not played to its end no other hash is claimed.
    expect(await page.$('.notice')).toBeNull()
    // What each remembered the worker knows.
    await page.click('#tab-states')
    await page.waitForSelector('.nodes >> text=server-1')
    expect(await page.$('.nodes .tree')).not.toBeNull()
    // A changed run is another: its worker takes the place of this one.
    await page.click('.names button >> text=server-1')
    await page.click('.menu >> text="Pause it"')
    await expect.poll(() => new URL(page.url()).hash).toMatch(/pause:server-1@/)
    await page.waitForSelector('[data-verdict="stopped"]')
    expect(page.workers()).toHaveLength(1)
    await page.context().close()
  })

  it('shows a machine that throws as a broken promise, at its event', async () => {
    const page = await opened(`#${THROWS.address}`)
    await page.waitForSelector('[data-verdict="broken"]')
    expect(await page.textContent('.verdict')).toMatch(/A machine threw: broken invariant/)
    await page.keyboard.press('Home')
    await page.click('text=Show me where')
    expect(await page.textContent('.where')).not.toMatch(/^1 \//)
    await page.context().close()
  })

  it('explores in a worker, from the disk; what breaks is a story to step through, with an address', async () => {
    const page = await opened('#explorer')
    await page.selectOption('select >> nth=2', 'no-drift-factor')
    await page.click('button.main')
    await page.waitForSelector('[data-result="broken"]')
    const steps = Number(await page.getAttribute('[data-story]', 'data-story'))
    expect(steps).toBeGreaterThan(3)
    const first = await page.textContent('[data-now]')
    await page.keyboard.press('ArrowLeft')
    expect(await page.textContent('[data-now]')).not.toBe(first)
    expect(new URL(page.url()).hash).toBe('#explorer=lock:no-drift-factor')
    await page.click('text=The same bug in a run')
    await page.waitForSelector('[data-verdict="broken"]')
    await page.context().close()
    for (const [name, result] of [
      ['election:promise-not-kept', 'broken'],
      ['mutex:ricart-agrawala-forgets', 'broken'],
      ['mutex:centralised-2', 'safe'],
    ]) {
      const other = await opened(`#explorer=${name}`)
      await other.waitForSelector(`[data-result="${result}"]`)
      await other.context().close()
    }
  })

  it('makes a walk of what the explorer found: without a step it holds, and its address opens the same', async () => {
    const page = await opened('#v=1&walk=lock.one-grant-too-few&go=0.0.3.2.3.4&h=d4a4f00a')
    expect(await verdict(page)).toBe('broken')
    expect(await page.$('.notice')).toBeNull()
    expect(await page.textContent('.verdict')).toContain('never two holders')
    // One message less, by keyboard: one holder.
    await page.focus('[data-without]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-verdict="held"]')
    const held = new URL(page.url()).hash
    expect(held).toMatch(/^#v=1&walk=lock\.one-grant-too-few&go=0\.0\.3\.2\.3&/)
    // The message is among what can happen next: with it, it is broken again.
    await page.keyboard.press('End')
    await page.click('[aria-labelledby="next-title"] [data-choice="4"]')
    await page.waitForSelector('[data-verdict="broken"]')
    await page.click('text=Undo')
    await page.waitForSelector('[data-verdict="held"]')
    await page.context().close()
    const again = await opened(held)
    expect(await verdict(again)).toBe('held')
    await again.context().close()
    const other = await opened('#walk=lock.<b>nothing</b>')
    expect(await other.textContent('[role=alert]')).toContain('names no small system')
    expect(await other.$('.notice b')).toBeNull()
    await other.context().close()
    const old = await opened('#walk=lock.one-grant-too-few&go=0.0.3.2.3.4&h=00000000')
    expect(await old.textContent('.notice')).toContain('made by another version')
    await old.context().close()
  })

  it('measures an experiment in a worker, as Node does', async () => {
    const page = await opened('#experiments=mutex-table')
    await page.click('[data-measure]')
    await page.waitForSelector('[data-measured="within"]')
    const there = await page.$$eval('tbody tr', rows => rows.map(row => row.querySelector('b')?.textContent ?? ''))
    const { rows } = await runExperiment(findExperiment('mutex-table')!, {
      scale: 'small',
      seed: 1,
      progress: () => {},
    })
    const text = (value: number) => (Number.isInteger(value) ? value.toLocaleString('en') : String(value))
    expect(there).toEqual(rows.map(({ measured }) => text(measured)))
    await page.context().close()
    const other = await opened('#experiments=one-liar')
    expect(await other.textContent('main')).toContain('more than a browser has')
    await other.context().close()
  })

  it('shows what an experiment drew of its machines, with words for those who do not see it', async () => {
    for (const name of ['events-routing', 'events-trees', 'sub-2-sub']) {
      const page = await opened(`#experiments=${name}`)
      const [picture] = findExperiment(name)!.draw!(1)
      const shown = await page.$$eval('[aria-label="Drawn of the machines"] img', images =>
        images.map(image => [image.getAttribute('alt'), (image as HTMLImageElement).naturalWidth > 0]),
      )
      expect(shown).toEqual([[picture!.says, true]])
      await page.context().close()
    }
  })

  it('does by dragging what the forms do: an arrow held, a node paused, a link cut', async () => {
    const page = await opened('#v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:*h')
    const lanes = 7
    // As page/diagram/geometry.ts has it: lanes from top to bottom below the axis, time between the margins.
    const spot = async (share: number, lane: number): Promise<[number, number]> => {
      const canvas = (await page.$('canvas'))!
      await canvas.scrollIntoViewIfNeeded()
      const box = (await canvas.boundingBox())!
      return [box.x + box.width * share, box.y + 48 + ((box.height - 66) * (lane + 0.5)) / lanes]
    }
    /** What was asked for is drawn. */
    const drawn = () =>
      page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const drag = async (from: [number, number], to: [number, number]) => {
      await drawn()
      await page.mouse.move(...from)
      await page.mouse.down()
      await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2)
      await page.mouse.move(...to)
      await page.mouse.up()
    }
    const done = () => decodeURIComponent(new URL(page.url()).hash).match(/do=([^&]*)/)?.[1] ?? ''
    await page.click('.picture >> text=All')
    await drawn()
    await drag(await spot(0.8, 0), await spot(0.86, 0))
    await expect.poll(done).toMatch(/^pause:client-1@\d+\+\d+$/)
    await page.click('#tab-acts')
    await page.click('text=Undo')
    await expect.poll(done).toBe('')
    await drag(await spot(0.8, 1.3), await spot(0.801, 1.8))
    await expect.poll(done).toMatch(/^cut:client-2>server-1@\d+\+\d+$/)
    await page.click('text=Undo')
    await expect.poll(done).toBe('')
    await drawn()
    const head = await headOf(page, spot)
    await drag(head, [head[0] + 30, head[1]])
    await expect.poll(done).toMatch(/^hold:[\w-]+>[\w-]+#\d+:\d+$/)
    await page.context().close()
  })

  it('opens a menu behind a lane’s name, by keyboard too, and does what it says', async () => {
    const page = await opened('#v=1&run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:*h')
    await page.focus('.names button >> text=server-1')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Crash it for a while')
    await page.keyboard.press('Escape')
    expect(await page.$('.menu')).toBeNull()
    for (const [name, act] of [
      ['Crash it for a while', /do=crash:server-1@\d+\+\d+/],
      ['Its clock runs 5 % fast', /drift:server-1\*1\.05/],
      ['Pause it', /pause:server-1@/],
    ] as const) {
      await page.click('.names button >> text=server-1')
      await page.click(`.menu >> text="${name}"`)
      expect(await page.$('.menu')).toBeNull()
      await expect.poll(() => new URL(page.url()).hash).toMatch(act)
    }
    await page.context().close()
  })

  it.each([1440, 360])('cuts nothing off at %i pixels: twelve servers in the table of answers too', async width => {
    for (const fragment of ['#level=1', '#v=1&run=lock.n7.b1&seed=17', '#v=1&run=lock.n12.b1&seed=3', '#experiments']) {
      const page = await opened(fragment)
      await page.setViewportSize({ width, height: 800 })
      await page.waitForSelector('.card')
      const [inner, whole] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth])
      expect([fragment, whole! <= inner!]).toEqual([fragment, true])
      if (width === 1440 && fragment.includes('n7')) {
        const table = await page.evaluate(() => {
          const box = document.querySelector('.quorum')!
          return box.scrollWidth - box.clientWidth
        })
        expect(table).toBeLessThanOrEqual(0)
      }
      await page.context().close()
    }
  })

  it.each(['light', 'dark'] as const)('pleases axe in every view, %s', async scheme => {
    const page = await opened('', scheme, true)
    await page.evaluate(axe.source)
    for (const [fragment, shown] of VIEWS) {
      await page.evaluate(hash => {
        location.hash = hash
      }, fragment)
      await page.waitForSelector(shown)
      expect(await violations(page), `${fragment}, ${scheme}`).toEqual([])
    }
    await page.evaluate(() => {
      location.hash = '#level=1'
    })
    await page.waitForSelector('[data-verdict="asks"]')
    for (const tab of ['states', 'acts', 'share']) {
      await page.click(`#tab-${tab}`)
      expect(await violations(page), `${tab}, ${scheme}`).toEqual([])
    }
    await page.click('.names button >> nth=0')
    expect(await violations(page), `menu, ${scheme}`).toEqual([])
    await page.context().close()
  })

  it('asked for nothing but files, and made no error', () => {
    expect({ refused, errors }).toEqual({ refused: [], errors: [] })
  })
})

/** Every view, and what is there when it is shown. */
const VIEWS: readonly (readonly [fragment: string, shown: string])[] = [
  ['#level=1', '[data-verdict="asks"]'],
  ['#level=2', '[data-exhausted="yes"]'],
  ['#level=3', '.picture >> text=server-4'],
  ['#level=4', '.picture >> text=server-7'],
  ['#level=5', '[aria-current="step"] >> text=Redlock'],
  ['#runs', 'h1 >> text=Any run'],
  ['#lessons', 'h1 >> text=Twelve lessons'],
  ['#lesson=2', '.captions'],
  ['#zoo', 'h1 >> text=bug zoo'],
  ['#v=1&run=lock.n7.b1&seed=17', '.quorum.compact'],
  ['#explorer=lock:one-grant-too-few', '[data-story]'],
  ['#v=1&walk=lock.one-grant-too-few&go=0.0.3.2.3', '.choices'],
  ['#experiments=backoff-response', '.chart'],
  ['#experiments=events-routing', '.charts img'],
  ['#experiments', 'h1 >> text=Every table'],
]

/** A place on the canvas at which an arrow's head can be taken: the pointer shows a hand there. */
async function headOf(
  page: Page,
  spot: (share: number, lane: number) => Promise<[number, number]>,
): Promise<[number, number]> {
  for (let lane = 0; lane < 7; lane++) {
    const [[from, y], [to]] = [await spot(0.02, lane), await spot(0.6, lane)]
    for (let x = from; x < to; x += 6) {
      await page.mouse.move(x, y)
      if (await page.$('canvas.grab')) return [x, y]
    }
  }
  throw new Error('no arrow can be taken')
}

async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run({ preload: false })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`)
  })
}
