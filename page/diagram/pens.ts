// Strokes that every part of the picture uses.

/** The head of an arrow, where it ends. */
export function head(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  const angle = Math.atan2(y2 - y1, x2 - x1)
  context.beginPath()
  context.moveTo(x2, y2)
  context.lineTo(x2 - 8 * Math.cos(angle - 0.38), y2 - 8 * Math.sin(angle - 0.38))
  context.lineTo(x2 - 8 * Math.cos(angle + 0.38), y2 - 8 * Math.sin(angle + 0.38))
  context.closePath()
  context.fill()
}

export function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

export function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
}

export function pill(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  context.beginPath()
  context.roundRect(x, y, width, height, height / 2)
}
