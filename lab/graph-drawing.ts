// A graph as one SVG text: points in a square and lines between them. For pictures of overlays, where what one sees is
// whether the lines are short.

export interface GraphDrawing {
  readonly title: string
  /** Places in the unit square. */
  readonly points: readonly (readonly [number, number])[]
  /** Pairs of point numbers. */
  readonly lines: readonly (readonly [number, number])[]
}

const SIDE = 560
const MARGIN = 20
const TOP = 40

export function graphDrawing({ title, points, lines }: GraphDrawing): string {
  const x = (value: number) => round(MARGIN + value * (SIDE - 2 * MARGIN))
  const y = (value: number) => round(TOP + value * (SIDE - 2 * MARGIN))
  const path = lines
    .map(([from, to]) => {
      const [a, b] = [points[from], points[to]]
      return a === undefined || b === undefined ? '' : `M${x(a[0])} ${y(a[1])}L${x(b[0])} ${y(b[1])}`
    })
    .join('')
  const name = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const height = SIDE + TOP - MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${height}" width="${SIDE}" height="${height}"`,
    ` class="graph" role="img" aria-label="${name}">`,
    '<style>.graph text{font:600 15px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#222}',
    '.graph .page{fill:#fff}',
    '.graph path{stroke:#0072b2;stroke-width:.8;fill:none;opacity:.8}.graph circle{fill:#222}',
    '@media (prefers-color-scheme:dark){.graph text{fill:#ddd}.graph .page{fill:#16191d}',
    '.graph path{stroke:#5fb8ee}.graph circle{fill:#ddd}}',
    '</style>',
    `<rect class="page" width="${SIDE}" height="${height}"/>`,
    `<text x="${MARGIN}" y="24">${name}</text>`,
    `<path d="${path}"/>`,
    ...points.map(point => `<circle cx="${x(point[0])}" cy="${y(point[1])}" r="1"/>`),
    '</svg>',
    '',
  ].join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
