// What the documents say exists: every citation leads to a rule or a reading, every file and function that a page names
// is there, the glossary has one row a word. Citations read `protocols/lock 3` and `readings OMA 4`.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && file !== 'node_modules' && existsSync(join(root, file)))

const HERE = 'test/documents.test.ts'
const GENERATED = ['docs/reference/api.md', 'docs/reference/cli.md']
const isText = (file: string) => /\.(ts|mjs|md|sh|toml|svg)$/.test(file)
const texts = tracked.filter(file => isText(file) && file !== HERE)

interface Found {
  readonly at: string
  readonly groups: readonly (string | undefined)[]
}

/** All matches in the given files, each with the line on which it stands. */
function search(files: readonly string[], pattern: RegExp): Found[] {
  return files.flatMap(file =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(pattern)].map(match => ({ at: `${file}:${index + 1}`, groups: [...match] })),
      ),
  )
}

/** '2, 6, 7', '9 and 14', '3 to 8' → every number; of a range, all in between. */
function numbersIn(list: string): number[] {
  const found: number[] = []
  let ranges = false
  for (const [word] of list.matchAll(/\d+|to|–/g)) {
    if (!/\d/.test(word)) {
      ranges = true
      continue
    }
    const first = ranges ? found.at(-1)! + 1 : Number(word)
    for (let number = first; number <= Number(word); number++) found.push(number)
    ranges = false
  }
  return found
}

const LIST = String.raw`\d+(?:(?:, | and | to |–)\d+)*`

describe('citations', () => {
  it('of a protocol lead to a page and a rule', () => {
    const pattern = new RegExp(String.raw`\bprotocols/([a-z-]+)(?: (${LIST}))?`, 'g')
    const wrong = search(texts, pattern).flatMap(({ at, groups: [, page, numbers] }) => {
      const file = `docs/protocols/${page}.md`
      if (!existsSync(join(root, file))) return [`${at} ${file}`]
      const rules = new Set([...read(file).matchAll(/^### (\d+)\. /gm)].map(match => Number(match[1])))
      return numbersIn(numbers ?? '')
        .filter(number => !rules.has(number))
        .map(number => `${at} ${page} ${number}`)
    })
    expect(wrong).toEqual([])
  })
  it('of a reading lead to its number', () => {
    const parts = read('docs/papers/readings.md').split(/^## /m).slice(1)
    const seeds = new Map(
      parts.map(part => [
        part.split('\n')[0]!,
        new Set([...part.matchAll(/^(\d+)\. /gm)].map(match => Number(match[1]))),
      ]),
    )
    const pattern = new RegExp(String.raw`\breadings,? ([A-Z]{3,})(?: (${LIST}))?`, 'g')
    const wrong = search(texts, pattern).flatMap(({ at, groups: [, seed, numbers] }) => {
      const known = seeds.get(seed!)
      if (known === undefined) return [`${at} ${seed}`]
      return numbersIn(numbers ?? '')
        .filter(number => !known.has(number))
        .map(number => `${at} ${seed} ${number}`)
    })
    expect([...seeds.keys()]).toContain('BACKOFF')
    expect(wrong).toEqual([])
  })
  it('name no document that is not in the repository', () => {
    const old =
      /\bPROTOCOLS [A-K]\b|\bREADINGS\b(?!_)|\bHOUSE (?:rule )?\d|\bDESIGN §|(?<=[\s(])[AEF] \d+(?=[,;:)]|\s+\|)/g
    expect(search(texts, old).map(({ at, groups: [text] }) => `${at} ${text}`)).toEqual([])
  })
  it('of an experiment name one that the lab has', () => {
    const lab = tracked.filter(file => file.startsWith('lab/') && file.endsWith('.ts')).map(read)
    const known = (name: string) => lab.some(text => new RegExp(`['"\`]${name}['"\`]`).test(text))
    const entries = read('docs/papers/readings.md').matchAll(/Experiments?:\s+((?:`[a-z0-9-]+`(?:,\s+)?)+)/g)
    const named = [...entries].flatMap(([, list]) => [...list!.matchAll(/`([^`]+)`/g)].map(match => match[1]!))
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(name => !known(name))).toEqual([])
  })
})

const pages = tracked.filter(file => file.endsWith('.md') && !GENERATED.includes(file))
const proseOf = (page: string) => read(page).replaceAll(/```[\s\S]*?```/g, '')
const FILE = /^[\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|sh|sql|toml|md)$/

/** Where the names of files on a page are sought, besides the page's own folder and the root. */
const ROOTS: Readonly<Record<string, readonly string[]>> = {
  'docs/papers/bandits.md': ['src/bandits'],
  'docs/papers/backoff.md': ['src/papers/lock', 'src/lock', 'src/core'],
  'docs/papers/errata.md': ['src/papers', 'src/filters'],
  'docs/papers/filters.md': ['src/filters', 'lab/filters'],
  'docs/papers/lecture.md': ['src/papers', 'src/membership', 'src/ordering/tree', 'lab', 'test/e2e'],
  'docs/papers/oma.md': ['src/slots', 'src/papers/slots', 'src/crypto', 'lab/oma'],
  'docs/papers/ordering.md': ['src/ordering'],
  'docs/papers/srcea.md': ['src/election', 'src/papers/srcea'],
}
/** Pages whose every file name must lead somewhere, also one without a folder. */
const isMap = (page: string) => /^src\/.*README\.md$/.test(page) || page in ROOTS

/** The folder of the protocol that a README stands in, whose proof it may name; of the papers, each its own. */
const houseOf = (page: string) =>
  page
    .split('/')
    .slice(0, page.startsWith('src/papers/') ? 3 : 2)
    .join('/')

/** The files that a name may mean: a path from the root, from `src` or from the page, or the end of one below the page's roots. */
function filesNamed(page: string, name: string, beside: readonly string[]): string[] {
  const whole = [name, `src/${name}`, normalize(join(dirname(page), name))].find(file => tracked.includes(file))
  if (whole !== undefined) return [whole]
  const house = page.startsWith('src/') ? [houseOf(page)] : []
  const roots = [...(ROOTS[page] ?? []), ...beside.map(dirname), ...house]
  return tracked.filter(file => file.endsWith(`/${name}`) && roots.some(folder => file.startsWith(`${folder}/`)))
}

describe.each(pages)('%s', page => {
  it('names files that exist, and functions that are in them', () => {
    expect(
      proseOf(page)
        .split('\n')
        .flatMap(line => (line.startsWith('|') ? line.split(/(?<!\\)\|/) : [line]))
        .flatMap(text => missingIn(page, text)),
    ).toEqual([])
  })
})

/**
 * A run of words in backticks: a file, then what is in it (`rules.ts` `belief`, `beliefStart`; `leases.ts`), or what is in
 * it and then where (`belief` in `rules.ts`). A quoted text after a test file is the name of a test, or part of it.
 */
function missingIn(page: string, text: string): string[] {
  const missing: string[] = []
  let files: string[] = []
  let end = 0
  let before = ''
  let beside: readonly string[] = []
  for (const match of text.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
    const [whole, code, quoted] = match
    const between = text.slice(end, match.index)
    end = match.index + whole.length
    if (!/^(,? (and )?)?$/.test(between)) files = between.trim() === 'in' ? files : []
    if (code !== undefined && FILE.test(code)) {
      const isPath = /^(src|lab|test|bench|docs|examples)\//.test(code)
      if (!isPath && !isMap(page)) continue
      files = filesNamed(page, code, beside)
      beside = files
      if (files.length === 0) missing.push(code)
      if (between === ' in ' && isName(before) && !declares(files, before)) missing.push(`${before} in ${code}`)
    } else if (files.length > 0 && quoted !== undefined) {
      if (isTest(files[0]!) && !files.some(file => holds(file, quoted)))
        missing.push(`"${quoted}" in ${basename(files[0]!)}`)
    } else if (files.length > 0 && code !== undefined && isName(code) && !isTest(files[0]!)) {
      if (!declares(files, code)) missing.push(`${code} in ${files.join(', ')}`)
    }
    before = code ?? ''
  }
  return missing
}

const isName = (code: string) => /^[a-z][A-Za-z0-9]*$|^[A-Z][a-zA-Z0-9]+$/.test(code)
const isTest = (file: string) => file.endsWith('.test.ts')
const holds = (file: string, quoted: string) =>
  read(file).replaceAll('\\', '').toLowerCase().includes(quoted.replace(/^…|…$/g, '').toLowerCase())

/** Whether one of the files declares a function, constant, class, type, method or property; a machine also calls handlers. */
function declares(files: readonly string[], name: string): boolean {
  if (/^on[A-Z]/.test(name) && files.some(file => read(file).includes(`${name}(`))) return true
  const declared = new RegExp(
    String.raw`\b(?:function\*?|const|let|class|interface|type|enum)\s+${name}\b|^\s+(?:(?:private|protected|readonly|async|static|get|set|override)\s+)*${name}\??\s*[(:<]`,
    'm',
  )
  return files.some(file => declared.test(read(file)))
}

describe('the glossary', () => {
  const rows = [...read('docs/glossary.md').matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(match => match[1]!)
  const words = rows.filter(word => word !== 'word' && !word.startsWith('--'))
  it('has one row a word, in the order of the alphabet', () => {
    const sorted = [...words].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en'))
    expect(words.length).toBeGreaterThan(50)
    expect(new Set(words).size).toBe(words.length)
    expect(words).toEqual(sorted)
  })
})

describe('decisions', () => {
  const decisions = tracked.filter(file => file.startsWith('docs/decisions/'))
  it('there is one about every library that ships with us', () => {
    const { dependencies } = JSON.parse(read('package.json'))
    const all = decisions.map(read).join('\n')
    expect(Object.keys(dependencies).filter(name => !all.includes(`\`${name}\``))).toEqual([])
  })
  it('each has a question and a choice', () => {
    const whole = (text: string) => /(\*\*|## )Question/.test(text) && /(\*\*|## )Choice/.test(text)
    expect(decisions.filter(file => !whole(read(file)))).toEqual([])
  })
})

describe('the architecture', () => {
  const page = read('docs/ARCHITECTURE.md')
  it('shows four ways of a message, each in at most fifteen lines', () => {
    const ways = page.split(/^## /m).find(part => part.startsWith('The way of a message'))!
    const walks = ways.split(/^### /m).slice(1)
    expect(walks).toHaveLength(4)
    for (const walk of walks) {
      const lines = walk
        .split('\n')
        .slice(1)
        .filter(line => line !== '')
      expect(lines.length, walk.split('\n')[0]).toBeLessThanOrEqual(15)
    }
  })
  it('names handlers that a search finds', () => {
    const code = tracked.filter(file => /^src\/.*\.ts$/.test(file) && !isTest(file)).map(read)
    const named = new Set([...proseOf('docs/ARCHITECTURE.md').matchAll(/`(on[A-Z]\w+)`/g)].map(match => match[1]!))
    expect(named.size).toBeGreaterThan(10)
    expect([...named].filter(name => !code.some(text => text.includes(`${name}(`)))).toEqual([])
  })
})
