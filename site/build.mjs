// npm run docs:site: the documents as a searchable site, in .site/out. Nothing is loaded from elsewhere when it is read.
//
// node site/build.mjs [--out FOLDER] [--pictures]
//
// The pages are those of docs/, README and its neighbours, the README of each folder of the source, and one for each result
// that docs/papers/results holds, drawn from its rows. A link to a file of code becomes the file's name: the site carries no
// code. A link that leads nowhere, a page that cannot be searched, or anything that would be loaded from another host fails
// the build (check.mjs). `--pictures` also runs the laboratory at small scale (some minutes) and shows what it drew.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { buildPage } from '../page/build.mjs'
import { complaintsAbout } from './check.mjs'
import { writeResults } from './results.mjs'
import { themeFor } from './theme.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string' }, pictures: { type: 'boolean', default: false } } })
const stage = join(root, '.site/pages')
const out = values.out ?? join(root, '.site/out')

/** Where each document of the repository stands on the site. */
const pages = new Map([
  ['README.md', 'index.md'],
  ...['CHANGELOG', 'SECURITY', 'CONTRIBUTING'].map(name => [`${name}.md`, `${name.toLowerCase()}.md`]),
  ...documentsIn('docs').map(file => [file, file.slice('docs/'.length).replace(/README\.md$/, 'index.md')]),
  ...documentsIn('src').map(file => [file, `code/${file.slice('src/'.length).replace(/\/?README\.md$/, '')}.md`]),
])

function documentsIn(folder) {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return found.filter(file => file.endsWith('.md') && !file.startsWith('.')).map(file => join(folder, file))
}

rmSync(stage, { recursive: true, force: true })
for (const [file, page] of pages) write(page, relinked(file, readFileSync(join(root, file), 'utf8')))
for (const [page, text] of await writeResults({ root, stage, escaped, pictures: values.pictures })) write(page, text)
// As `coterie lab export` writes it.
await buildPage(join(stage, 'public/play'))
// Vite looks for what it needs above the pages.
if (!existsSync(join(root, '.site/node_modules')))
  symlinkSync(join(root, 'node_modules'), join(root, '.site/node_modules'))
mkdirSync(join(stage, '.vitepress'), { recursive: true })
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const written = readdirSync(stage, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.md'))
const titles = new Map(written.sort().map(page => [page, titleOf(page)]))
writeFileSync(
  join(stage, '.vitepress/config.mjs'),
  [
    `import { slugOf } from ${JSON.stringify(new URL('./slug.mjs', import.meta.url).href)}`,
    `const settings = ${JSON.stringify(themeFor(titles, version), null, 2)}`,
    'settings.markdown.anchor = { slugify: slugOf }',
    'export default settings',
    '',
  ].join('\n'),
)
await build(stage, { outDir: out })
const complaints = complaintsAbout(out)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length > 0) throw new Error(`the site is not whole: ${complaints.length} complaints above`)
process.stdout.write(
  `wrote ${relative(process.cwd(), out) || out}, ${titles.size} pages, every link followed: open it with a web server, e.g. npx vite preview --outDir ${relative(process.cwd(), out)}\n`,
)

function write(page, text) {
  mkdirSync(dirname(join(stage, page)), { recursive: true })
  writeFileSync(join(stage, page), text)
}

function titleOf(page) {
  return /^# (.+)$/m.exec(readFileSync(join(stage, page), 'utf8'))?.[1]?.replaceAll('`', '') ?? page
}

/** Links of one document as they are on the site. Blocks of code are left as they are. */
function relinked(file, text) {
  const pieces = text.split(/(^```[\s\S]*?^```$)/m)
  return pieces.map((piece, place) => (place % 2 === 1 ? piece : escaped(withLinks(file, piece)))).join('')
}

/** Vue would take these for expressions and elements: documents here hold neither. */
function escaped(prose) {
  const pieces = prose.split(/(`[^`\n]+`)/)
  const plain = piece => piece.replaceAll(/<(?!https?:)/g, '&lt;').replaceAll('{{', '&#123;&#123;')
  return pieces.map((piece, place) => (place % 2 === 1 ? piece : plain(piece))).join('')
}

function withLinks(file, text) {
  return text.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, words, target) => {
    if (/^(https?:|mailto:|#)/.test(target)) return whole
    const [path, anchor] = target.split('#')
    const aim = join(dirname(file), path)
    const page = pages.get(aim) ?? pages.get(join(aim, 'README.md'))
    if (page === undefined) {
      if (!existsSync(join(root, aim))) throw new Error(`${file} links to ${target}, which is not there`)
      return words.startsWith('`') ? words : `${words} (\`${aim}\`)`
    }
    const from = dirname(pages.get(file))
    const link = relative(from, page)
    return `[${words}](${link.startsWith('.') ? link : `./${link}`}${anchor === undefined ? '' : `#${anchor}`})`
  })
}
