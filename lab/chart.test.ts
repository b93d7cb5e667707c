import { describe, expect, it } from 'vitest'
import { lineChart, scatterChart } from './chart.ts'
import { makeAxis, tickText } from './chart-axis.ts'
import { row } from './experiment.ts'
import { runExperiment } from './index.ts'
import { recordedPictures } from './recorded-pictures.ts'

describe('axes', () => {
  it('puts linear ticks at round numbers around the data', () => {
    const axis = makeAxis({ label: 'x' }, [0.3, 9.7])
    expect(axis.ticks.map(tick => tick.text)).toEqual(['0', '2', '4', '6', '8', '10'])
    expect(axis.place(5)).toBeCloseTo(0.5)
  })
  it('puts logarithmic ticks at powers of ten', () => {
    const axis = makeAxis({ label: 'x', log: true }, [100, 10_000_000])
    expect(axis.ticks.map(tick => tick.text)).toEqual(['100', '1,000', '10 k', '100 k', '1 M', '10 M'])
    expect(axis.place(10_000)).toBeCloseTo(2 / 5)
    expect(axis.place(0)).toBeNaN()
  })
  it('survives no data, one value, and values a log cannot show', () => {
    expect(makeAxis({ label: 'x' }, []).ticks.length).toBeGreaterThan(1)
    expect(makeAxis({ label: 'x' }, [7]).place(7)).toBeLessThanOrEqual(1)
    expect(makeAxis({ label: 'x', log: true }, [0, -1]).ticks.length).toBeGreaterThan(1)
    expect(makeAxis({ label: 'x', log: true }, [3]).place(3)).toBeLessThanOrEqual(1)
  })
  it('writes small and large numbers so that they can be read', () => {
    expect([0, 0.001, 0.5, 5000, 20_000, 2e6, 1e-6].map(tickText)).toEqual([
      '0',
      '0.001',
      '0.5',
      '5,000',
      '20 k',
      '2 M',
      '10⁻⁶',
    ])
  })
})

describe('charts', () => {
  const chart = {
    title: 'a < b & "c"',
    x: { label: 'x', log: true },
    y: { label: 'y' },
    note: 'Two runs.',
    series: [
      {
        name: 'one',
        points: [
          [1, 1],
          [10, Number.NaN],
          [100, 3],
        ] as const,
      },
      {
        name: 'two',
        points: [
          [1, 2],
          [100, 2],
        ] as const,
        dashed: true,
      },
    ],
  }
  it('escapes text and leaves no value that is not a number in the drawing', () => {
    const svg = lineChart(chart)
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;')
    expect(svg).not.toContain('NaN')
    expect(svg.startsWith('<svg')).toBe(true)
  })
  it('breaks the line where a value is missing', () => {
    expect(
      lineChart(chart)
        .match(/<path class="line c0" d="([^"]*)"/)?.[1]
        ?.match(/M/g)?.length,
    ).toBe(2)
  })
  it('draws marks only in a scatter chart, except for dashed series', () => {
    const svg = scatterChart(chart)
    expect(svg).not.toContain('"line c0"')
    expect(svg).toContain('"line c1 dash"')
  })
  it('cuts no word: long names are broken into lines, a long legend makes the picture higher', () => {
    const long = 'a series whose name says very much about what was measured, and where, and how often it was'
    const series = Array.from({ length: 14 }, (_, at) => ({ ...chart.series[0]!, name: `${at}: ${long}` }))
    const svg = lineChart({ ...chart, title: `${long}, ${long}`, series })
    const [, width, height] = svg.match(/viewBox="0 0 (\d+) (\d+)"/)!.map(Number)
    const texts = [...svg.matchAll(/<text(?: class="(\w+)")? x="([\d.]+)" y="([\d.]+)">([^<]*)</g)]
    expect(texts.length).toBeGreaterThan(28)
    for (const [, style, x, y, words] of texts) {
      expect(Number(x) + words!.length * (style === 'title' ? 9 : 6.5)).toBeLessThanOrEqual(width!)
      expect(Number(y)).toBeLessThan(height!)
    }
    expect(texts.map(([, , , , words]) => words).join(' ')).toContain('how often it was')
  })
  it('leaves a series without a name out of the legend, and draws it', () => {
    const [first] = chart.series
    const shadow = { ...first!, name: '', dashed: true, colour: 0 }
    const svg = lineChart({ ...chart, series: [first!, shadow] })
    const height = (text: string) => Number(text.match(/viewBox="0 0 \d+ (\d+)"/)![1])
    expect(svg.match(/<path class="line c0 dash"/g)).toHaveLength(1)
    expect(height(svg)).toBe(height(lineChart({ ...chart, series: [first!] })))
  })
  it('draws a bar through each mark that may be off, within the axes, and a note below', () => {
    const points = [[1, 5] as const, [10, 6] as const]
    const svg = lineChart({ ...chart, note: '20 runs each', series: [{ name: 'one', points, errors: [4, 0] }] })
    expect(svg.match(/class="line bar c0"/g)).toHaveLength(1)
    expect(svg).toContain('20 runs each')
    const [, foot, high] = svg.match(/class="line bar c0" d="M[\d.]+ ([\d.]+)V([\d.]+)/)!.map(Number)
    expect(foot! - high!).toBeGreaterThan(100)
    expect(
      lineChart({ ...chart, series: [{ name: 'one', points, errors: [9, 9] }], y: { label: 'y', log: true } }),
    ).not.toContain('NaN')
  })
})

describe('pictures of rows', () => {
  const judged = (what: string, measured: number) => row(what, measured, 1, 0.5, 's')

  it('are lines over the sizes that rows name, and every judged figure in its band', () => {
    const rows = [1, 2, 3].map(t => judged(`t = ${t}: time`, 1 + t / 10))
    const [lines, bands] = recordedPictures({ name: 'one', title: 'One', rows }, 'Two runs.')
    expect(lines).toMatchObject({ name: 'one-1.svg' })
    expect(lines!.svg).toContain('Two runs. Dashed: the paper’s, with its tolerance.')
    expect(bands!.svg.match(/<circle class="in"/g)).toHaveLength(3)
    expect(bands!.svg).toContain('>Two runs.</text>')
  })
  it('have room for long labels, and show which figure is outside', () => {
    const label = 'a label that says which of the many servers was slow, in which round, and for how long it was so'
    const [bands] = recordedPictures({ name: 'two', title: 'Two', rows: [judged(label, 1), judged('b', 9)] })
    expect(bands!.svg).toContain(label)
    expect(bands!.svg.match(/<circle class="out"/g)).toHaveLength(1)
    const left = Number(bands!.svg.match(/<text x="([\d.]+)"[^>]*text-anchor="end">a label/)![1])
    expect(left).toBeGreaterThan(label.length * 6.5)
  })
  it('say of a dot beyond its band that it belongs there', () => {
    const lead = { ...judged('a lead', 9), within: true }
    const [bands] = recordedPictures({ name: 'three', title: 'Three', rows: [lead, judged('b', 1)] })
    expect(bands!.svg.match(/<circle class="in"/g)).toHaveLength(2)
    expect(bands!.svg).toContain('A dot beyond its band')
  })
  it('are given with the report of an experiment that draws nothing itself', async () => {
    const rows = [judged('a', 1), judged('b', 1.2)]
    const experiment = { name: 'none', title: 'None', source: 'here', run: () => ({ rows, pictures: [], notes: [] }) }
    const options = { scale: 'small', seed: 1, progress: () => {} } as const
    expect((await runExperiment(experiment, options)).pictures).toMatchObject([{ name: 'none-judged.svg' }])
  })
})
