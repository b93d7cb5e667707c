// The check that a built site must pass: each thing that can be wrong with it is complained of, and nothing else.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const { complaintsAbout } = (await import(join(root, 'site/check.mjs'))) as {
  complaintsAbout(folder: string): string[]
}
const { slugOf } = (await import(join(root, 'site/slug.mjs'))) as { slugOf(text: string): string }

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const WHOLE: Readonly<Record<string, string>> = {
  'index.html': '<h1 id="top">A</h1><a href="./guide/first.html#a-b">x</a><a href="https://example.org/">y</a>',
  'guide/first.html':
    '<h2 id="a-b">B</h2><a href="/">home</a><img src="/pictures/p.svg"><a href="/play/index.html#level=1">z</a>',
  'play/index.html': '<p>the laboratory</p>',
  'pictures/p.svg': '<svg/>',
  'assets/chunks/@localSearchIndexroot.x.js': 'export default `{"0":"/#top","1":"/guide/first.html#a-b"}`',
  'assets/style.css': 'a{background:url(/pictures/p.svg)}',
}

function complaints(changes: Readonly<Record<string, string>> = {}): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'coterie-site-'))
  folders.push(folder)
  for (const [file, text] of Object.entries({ ...WHOLE, ...changes })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return complaintsAbout(folder)
}

describe('the check of a built site', () => {
  it('has no complaint about a whole one', () => {
    expect(complaints()).toEqual([])
  })
  it.each([
    ['a link to no file', { 'index.html': '<a href="./gone.html">x</a>' }, /gone\.html leads to no file/],
    ['a link to no heading', { 'index.html': '<a href="./guide/first.html#c">x</a>' }, /#c leads to no heading/],
    ['a link to no heading of its own page', { 'index.html': '<a href="#c">x</a>' }, /#c leads to no heading/],
    ['a link to a folder without a page', { 'index.html': '<a href="/pictures/">x</a>' }, /leads to no file/],
    ['a picture that is not there', { 'index.html': '<img alt="" src="/pictures/q.svg">' }, /q\.svg leads to no file/],
    ['a script from elsewhere', { 'index.html': '<script src="https://a.example/x.js"></script>' }, /another host/],
    ['a font from elsewhere', { 'assets/style.css': '@import "//a.example/f.css";' }, /another host/],
    ['a page that is not searched', { 'other.html': '<h1 id="o">O</h1>' }, /other\.html: the search does not know it/],
  ])('complains of %s', (_what, changes, why) => {
    const found = complaints(changes)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(why)
  })
  it('names headings as they are linked in the documents', () => {
    expect(slugOf('6. Restart')).toBe('6-restart')
    expect(slugOf('`coterie lab` and more: what it is')).toBe('coterie-lab-and-more-what-it-is')
  })
})
