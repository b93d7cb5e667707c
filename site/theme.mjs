// The site's frame: chapters at the left, search at the top, nothing from elsewhere.

/** Folders of pages, in the order in which a reader wants them. */
const CHAPTERS = [
  ['Guide', 'guide/'],
  ['Lessons', 'lessons/'],
  ['Operating', 'operating/'],
  ['Reference', 'reference/'],
  ['Doors', 'reference/api/'],
  ['Protocols', 'protocols/'],
  ['Papers', 'papers/'],
  ['Laboratory', 'lab/'],
  ['Results, as recorded', 'papers/results/'],
  ['Decisions', 'decisions/'],
  ['Code', 'code/'],
]

const linkTo = page => `/${page.replace(/(index)?\.md$/, '')}`

/** VitePress's settings for pages, given as file and title. */
export function themeFor(titles, version) {
  const inFolder = folder =>
    [...titles]
      .filter(([page]) => page.startsWith(folder) && !page.slice(folder.length).includes('/'))
      .sort(([a], [b]) => Number(b.endsWith('index.md')) - Number(a.endsWith('index.md')) || (a < b ? -1 : 1))
      .map(([page, text]) => ({ text, link: linkTo(page) }))
  const chapters = CHAPTERS.map(([text, folder], place) => ({ text, items: inFolder(folder), collapsed: place > 2 }))
  const start = [
    'index.md',
    'ARCHITECTURE.md',
    'glossary.md',
    'lab/index.md',
    'security.md',
    'changelog.md',
    'contributing.md',
  ]
  const first = start.filter(page => titles.has(page)).map(page => ({ text: titles.get(page), link: linkTo(page) }))
  return {
    title: 'Coterie',
    description: 'Coordination for parties that do not fully trust each other, or the machines between them.',
    lang: 'en',
    cleanUrls: false,
    lastUpdated: false,
    // Not pages of this site: the laboratory's own, which the build puts beside them. check.mjs follows every link there is.
    ignoreDeadLinks: [/^\/play\//],
    // VitePress would fetch its default font from its own files; the reader's own font needs no file at all.
    head: [['meta', { name: 'generator', content: `coterie ${version}` }]],
    markdown: { html: false },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      nav: [
        { text: 'Guide', link: '/guide/' },
        { text: 'Reference', link: '/reference/api' },
        { text: 'Protocols', link: '/protocols/' },
        { text: 'Laboratory', link: '/lab/' },
        { text: 'Break it yourself', link: '/play/index.html#level=1', target: '_self' },
      ],
      sidebar: [{ text: `Coterie ${version}`, items: first }, ...chapters.filter(({ items }) => items.length > 0)],
    },
  }
}
