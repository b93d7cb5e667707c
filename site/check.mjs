// node site/check.mjs FOLDER: whether a built site is whole. Every link leads to a page that is there and to a heading that
// is on it; nothing is loaded from another host; the index of the search knows every page.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Elements that a browser loads by itself, with the attribute that says from where. */
const LOADED = /<(script|img|source|iframe|link)\b[^>]*?\s(?:src|href)="([^"]*)"/g
const LINKED = /<a\b[^>]*?\shref="([^"]*)"/g
const NAMED = /\s(?:id|name)="([^"]*)"/g
const ELSEWHERE = /^(?:https?:)?\/\//
const INDEX = /^@localSearchIndex.*\.js$/

const plain = text => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")

/** Sentences on what is wrong with a built site; none where it is whole. */
export function complaintsAbout(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => file.replaceAll('\\', '/'))
  const pages = files.filter(file => file.endsWith('.html'))
  if (pages.length === 0) return ['there is no page.']
  const known = new Map(pages.map(page => [page, readFileSync(join(folder, page), 'utf8')]))
  const names = new Map(
    [...known].map(([page, text]) => [page, new Set([...text.matchAll(NAMED)].map(([, id]) => plain(id)))]),
  )
  const found = []
  for (const [page, text] of known) {
    for (const [, element, target] of text.matchAll(LOADED)) {
      const why = ELSEWHERE.test(target) ? 'is loaded from another host' : broken(folder, names, page, plain(target))
      if (why !== undefined) found.push(`${page}: ${element} ${target} ${why}`)
    }
    for (const [, target] of text.matchAll(LINKED)) {
      if (ELSEWHERE.test(target) || target.startsWith('mailto:')) continue
      const why = broken(folder, names, page, plain(target))
      if (why !== undefined) found.push(`${page}: the link ${target} ${why}`)
    }
  }
  for (const file of files.filter(each => each.endsWith('.css'))) {
    if (/url\(\s*["']?(?:https?:)?\/\/|@import\s+["'](?:https?:)?\/\//.test(readFileSync(join(folder, file), 'utf8')))
      found.push(`${file}: loads something from another host`)
  }
  return [...found, ...searchComplaints(folder, files, pages)]
}

function broken(folder, names, page, target) {
  if (/^(data|blob):/.test(target)) return undefined
  const [path, anchor] = target.split('#')
  const aim = path === '' ? page : posix.join(path.startsWith('/') ? '.' : dirname(page), path.split('?')[0])
  const file = aim.endsWith('/') || aim === '.' ? posix.join(aim, 'index.html') : aim
  const full = join(folder, decodeURIComponent(file))
  if (!existsSync(full) || !statSync(full).isFile()) return 'leads to no file'
  const there = names.get(file)
  // The laboratory's page reads what follows: there it is a run and no heading.
  if (!anchor || there === undefined || file.startsWith('play/')) return undefined
  return there.has(decodeURIComponent(anchor)) ? undefined : 'leads to no heading'
}

/** The search finds what is in its index: one entry a page at least. */
function searchComplaints(folder, files, pages) {
  const index = files.find(file => INDEX.test(file.split('/').at(-1)))
  if (index === undefined) return ['there is no index to search in']
  const text = readFileSync(join(folder, index), 'utf8')
  const searched = pages.filter(page => page !== '404.html' && !page.startsWith('play/'))
  const missing = searched.filter(page => {
    const address = page === 'index.html' ? '/' : `/${page.replace(/index\.html$/, '')}`
    return !text.includes(`${address}#`) && !text.includes(`"${address}"`)
  })
  return missing.map(page => `${page}: the search does not know it`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = complaintsAbout(process.argv[2] ?? '.site/out')
  for (const line of found) process.stderr.write(`${line}\n`)
  process.exitCode = found.length > 0 ? 1 : 0
}
