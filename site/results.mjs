// The laboratory's pages: one for each result that docs/papers/results holds, whatever it holds, with its pictures and its table;
// and a list of every experiment.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The pages by name. Pictures are written beside them. */
export async function writeResults({ root, stage, escaped, pictures }) {
  const results = join(root, 'docs/papers/results')
  const lab = path => import(pathToFileURL(join(root, 'dist/lab', path)).href)
  const { recordedPictures } = await lab('recorded-pictures.js')
  const { findExperiment } = await lab('index.js')
  const folder = join(stage, 'public/pictures')
  mkdirSync(folder, { recursive: true })
  const recorded = readdirSync(results)
    .filter(file => file.endsWith('.json'))
    .sort()
    .map(file => JSON.parse(readFileSync(join(results, file), 'utf8')))
  const run = pictures ? drawnNow(root) : new Map()
  const pages = new Map()
  const shown = new Map()
  for (const report of recorded) {
    const states = findExperiment(report.name).draw?.(report.seed) ?? []
    const now = (run.get(report.name) ?? []).filter(({ name }) => !states.some(state => name === `now-${state.name}`))
    const drawn = [...states, ...recordedPictures(report), ...now]
    for (const { name, svg } of drawn) writeFileSync(join(folder, name), svg)
    shown.set(report.name, { report, first: drawn[0]?.name })
    pages.set(`lab/${report.name}.md`, resultPage(report, drawn, escaped))
  }
  pages.set('lab/index.md', labPage(experimentsOf(root), shown, escaped))
  return pages
}

function coterie(root, ...args) {
  return execFileSync(process.execPath, [join(root, 'bin/coterie'), 'lab', ...args], { encoding: 'utf8' })
}

const experimentsOf = root => JSON.parse(coterie(root, 'list', '--json'))

/** Made of the rows: the same is drawn of the recorded ones. */
const OF_ROWS = /-(judged|\d+)\.svg$/

/** What every experiment draws when it is run now, by its name. */
function drawnNow(root) {
  const out = join(root, '.site/pictures')
  rmSync(out, { recursive: true, force: true })
  coterie(root, 'run', 'all', '--scale', 'small', '--out', out)
  const files = readdirSync(out).filter(file => file.endsWith('.svg'))
  const drawn = new Map()
  for (const { name } of experimentsOf(root)) {
    const own = files.filter(file => file === `${name}.svg` || (file.startsWith(`${name}-`) && !OF_ROWS.test(file)))
    drawn.set(
      name,
      own.map(file => ({ name: `now-${file}`, svg: readFileSync(join(out, file), 'utf8') })),
    )
  }
  return drawn
}

const number = value =>
  value === null || value === undefined
    ? ''
    : Number.isInteger(value)
      ? value.toLocaleString('en')
      : String(Number(value.toPrecision(6)))

const cell = text => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function resultPage(report, drawn, escaped) {
  const { name, title, source, scale, seed, date, machine, rows, notes = [], within } = report
  const judged = rows.filter(({ expected }) => expected !== null)
  return [
    `# ${name}`,
    '',
    escaped(title),
    '',
    `_${escaped(source)}_. Measured at scale ${scale}, seed ${seed}, on ${date}${machine === undefined ? '' : ` (${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node})`}: ${judged.length} figures that the paper gives or that follow from its formulas, ${within ? 'all within what they tolerate' : '**not all within what they tolerate**'}.`,
    '',
    '```sh',
    `coterie lab run ${name} --scale ${scale} --seed ${seed}`,
    '```',
    '',
    `[The same in the laboratory’s page](/play/index.html#experiments=${name}){target="_self"}, where many can be measured again in your browser.`,
    '',
    ...drawn.flatMap(({ name: file, says }) => [
      `![${says === undefined ? `${name}: ${pictureName(file)}` : escaped(says)}](/pictures/${file})`,
      '',
    ]),
    '## Rows',
    '',
    '| what | the paper’s | ours | unit | tolerance | within |',
    '| --- | ---: | ---: | --- | ---: | --- |',
    ...rows.map(
      ({ what, expected, measured, tolerance, unit, within: good }) =>
        `| ${cell(escaped(what))} | ${number(expected)} | ${number(measured)} | ${cell(escaped(unit ?? ''))} | ${tolerance === null ? '' : `± ${number(tolerance)}`} | ${expected === null ? '' : good ? 'yes' : '**no**'} |`,
    ),
    '',
    ...(notes.length === 0 ? [] : ['## Notes', '', ...notes.flatMap(note => [escaped(note), ''])]),
  ].join('\n')
}

function pictureName(file) {
  if (file.endsWith('-judged.svg')) return 'each figure within its tolerance'
  return file.startsWith('now-') ? 'drawn anew at small scale' : 'as recorded'
}

function labPage(experiments, shown, escaped) {
  const lines = [
    '# The laboratory',
    '',
    '**[Break it yourself](/play/index.html#level=1){target="_self"}**: play a lying server in your browser, step through every run.',
    '',
    `Every table and figure of the papers is one command away; \`coterie lab run NAME\` measures it again. Of ${experiments.length} experiments ${shown.size} are recorded here.`,
    '',
  ]
  for (const { name, title, source } of experiments) {
    const { report, first } = shown.get(name) ?? {}
    lines.push(`## ${name}`, '', `${escaped(title)} _${escaped(source ?? '')}_`, '')
    if (report === undefined) {
      lines.push(`Not recorded; \`coterie lab run ${name}\` measures it.`, '')
      continue
    }
    if (first !== undefined) lines.push(`[![${name}](/pictures/${first})](./${name}.md)`, '')
    lines.push(`[${report.rows.length} rows, scale ${report.scale}](./${name}.md), on ${report.date}.`, '')
  }
  return lines.join('\n')
}
