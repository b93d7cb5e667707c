// Nodes in a circle and an arrow for each way that a message went, as one SVG text; with the order of first messages where asked for.

/** A message between two nodes. */
export interface Letter {
  readonly from: string
  readonly to: string
}

const SIDE = 560
const TOP = 40
const RADIUS = 200
const NODE = 30

export function partiesDrawing(title: string, letters: readonly Letter[], ordered: boolean): string {
  const names = [...new Set(letters.flatMap(({ from, to }) => [from, to]))].sort()
  const place = (name: string): readonly [number, number] => {
    const angle = (2 * Math.PI * names.indexOf(name)) / names.length - Math.PI / 2
    return [SIDE / 2 + RADIUS * Math.cos(angle), TOP + SIDE / 2 + RADIUS * Math.sin(angle)]
  }
  const ways = [...new Map(letters.map(letter => [`${letter.from}→${letter.to}`, letter])).values()]
  const arrows = ways.map(({ from, to }, step) => {
    const [[x1, y1], [x2, y2]] = [place(from), place(to)]
    const length = Math.hypot(x2 - x1, y2 - y1)
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length]
    // A little to the right of its way, so that the way back has a line of its own.
    const [ox, oy] = [-dy * 6, dx * 6]
    const [a, b] = [NODE, length - NODE]
    const line = `M${round(x1 + dx * a + ox)} ${round(y1 + dy * a + oy)}L${round(x1 + dx * b + ox)} ${round(y1 + dy * b + oy)}`
    const [tx, ty] = [round(x1 + dx * length * 0.35 + ox * 2.5), round(y1 + dy * length * 0.35 + oy * 2.5)]
    const number = ordered ? `<text class="step" x="${tx}" y="${ty}">${step + 1}</text>` : ''
    return `<path d="${line}" marker-end="url(#tip)"/>${number}`
  })
  const height = SIDE + TOP
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${height}" width="${SIDE}" height="${height}"`,
    ` class="parties" role="img" aria-label="${title}">`,
    '<style>.parties text{font:600 15px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#222}',
    '.parties .step{font-size:12px}.parties .name{text-anchor:middle}.parties .page{fill:#fff}',
    '.parties path{stroke:#0072b2;stroke-width:1.5;fill:none}.parties circle{fill:none;stroke:#222}.parties .tip{fill:#0072b2}',
    '@media (prefers-color-scheme:dark){.parties text{fill:#ddd}.parties .page{fill:#16191d}',
    '.parties path{stroke:#5fb8ee}.parties circle{stroke:#ddd}.parties .tip{fill:#5fb8ee}}',
    '</style>',
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
    '<polygon class="tip" points="0,0 8,4 0,8"/></marker></defs>',
    `<rect class="page" width="${SIDE}" height="${height}"/>`,
    `<text x="20" y="24">${title}</text>`,
    ...arrows,
    ...names.map(name => {
      const [x, y] = place(name).map(round) as [number, number]
      return `<circle cx="${x}" cy="${y}" r="${NODE - 4}"/><text class="name" x="${x}" y="${y + 5}">${name}</text>`
    }),
    '</svg>',
  ].join('')
}

const round = (value: number) => Math.round(value * 10) / 10
