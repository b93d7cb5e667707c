// Least squares, for the two shapes that the backoff experiments ask about.

type Points = readonly (readonly [number, number])[]

/** The c for which y = c x fits best. */
export function proportion(points: Points): number {
  const products = points.reduce((sum, [x, y]) => sum + x * y, 0)
  const squares = points.reduce((sum, [x]) => sum + x * x, 0)
  return products / squares
}

/** The slope of the line that fits best, wherever it starts. */
export function slope(points: Points): number {
  const middle = points.reduce((sum, [x]) => sum + x, 0) / points.length
  return proportion(points.map(([x, y]) => [x - middle, y] as const))
}
