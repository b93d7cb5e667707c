// The documents of a package. A link to a page that it does not have says in words where the page is; one to code is plain words.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'

/** Copies `files`, pairs of where a page is in the repository and where it goes, below `to`. `others`: what other packages have, by name. */
export function copyDocuments({ root, to, files, others }) {
  const has = new Map(files)
  for (const [source, target] of files) {
    const text = readFileSync(join(root, source), 'utf8')
    const file = join(to, target)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, source.endsWith('.md') ? linked(text, source, { root, has, others }) : text)
  }
}

/** Links of prose; what stands in a program is left alone. */
function linked(text, source, where) {
  return text
    .split(/(```[\s\S]*?```)/)
    .map((part, place) => (place % 2 === 1 ? part : part.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, relink)))
    .join('')

  function relink(link, words, address) {
    if (/^([a-z]+:|#)/.test(address)) return link
    const [path, anchor] = address.split('#')
    const page = normalize(join(dirname(source), path)).replace(/\/$/, '')
    const found = pageOf(page, where)
    if (found !== undefined) {
      const to = relative(dirname(where.has.get(source)), found)
      return `[${words}](${to}${anchor === undefined ? '' : `#${anchor}`})`
    }
    if (!/(\.md|^docs.*)$/.test(page)) return words
    const name = words.replaceAll('`', '')
    return `${words} (${name === page ? '' : `${page} `}of ${ownerOf(page, where)})`
  }
}

/** Where the page is in this package; for a folder, its first page. */
function pageOf(page, { root, has }) {
  if (has.has(page)) return has.get(page)
  const isFolder = existsSync(join(root, page)) && statSync(join(root, page)).isDirectory()
  const inside = isFolder ? [...has.keys()].filter(file => file.startsWith(`${page}/`)) : []
  return inside.length === 0 ? undefined : page
}

function ownerOf(page, { others }) {
  const other = others.find(({ files }) => files.some(file => file === page || file.startsWith(`${page}/`)))
  return other === undefined ? 'the repository' : `the package ${other.name}`
}
