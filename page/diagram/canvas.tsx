// The canvas with its pointer: what is under it is told, and drags become acts. Everything that can be done here can be
// done by keyboard elsewhere: the list of events, the forms of acts, the buttons on the lanes' names.

import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { draw } from './draw.ts'
import { ghostOf, headAt, markAt, type Spot } from './find.ts'
import { type Colours, type Ghost, laneY, type Size, timeAt, type View } from './geometry.ts'
import type { Drawing, Mark } from './marks.ts'

export interface CanvasProps {
  readonly drawing: Drawing
  readonly view: View
  readonly cursor: number
  readonly now: number
  /** Changes when the colours do. */
  readonly scheme: string
  readonly label: string
  say(mark: Mark): string
  onPick(place: number): void
  onView(view: View): void
  onDrag?: ((ghost: Ghost) => void) | undefined
}

const LANE_TALL = 60
const LANE_LOW = 44
const FRAME = 66

export function heightFor(lanes: number): number {
  return FRAME + lanes * (lanes > 8 ? LANE_LOW : LANE_TALL)
}

/** Where each lane's name stands beside the canvas. */
export function nameY(lanes: number, lane: number): number {
  return laneY({ width: 0, height: heightFor(lanes) }, lanes, lane)
}

function coloursNow(element: Element): Colours {
  const probe = document.createElement('i')
  element.append(probe)
  const read = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const colours = {
    ground: read('surface'),
    ink: read('ink'),
    soft: read('soft'),
    lane: read('lane'),
    arrow: read('arrow'),
    accent: read('accent'),
    lie: read('lie-line'),
    broken: read('broken'),
    held: read('held'),
    clients: ['first', 'second', 'third', 'fourth'].map(read),
  }
  probe.remove()
  return colours
}

interface Pointer {
  readonly spot: Spot
  readonly from: Spot | undefined
  readonly hover: number | undefined
  readonly ghost: Ghost | undefined
  readonly grab: boolean
}

const NOWHERE: Pointer = { spot: { x: 0, y: 0 }, from: undefined, hover: undefined, ghost: undefined, grab: false }

export function Canvas(props: CanvasProps): JSX.Element {
  const { drawing, view, cursor, now, scheme } = props
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const colours = useRef<Colours | undefined>(undefined)
  const [width, setWidth] = useState(0)
  const [pointer, setPointer] = useState<Pointer>(NOWHERE)
  const size = { width, height: heightFor(drawing.lanes.length) }

  useLayoutEffect(() => {
    const measure = () => setWidth(box.current?.clientWidth ?? 0)
    const observer = new ResizeObserver(measure)
    if (box.current !== null) observer.observe(box.current)
    measure()
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    colours.current = undefined
  }, [scheme])
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || width === 0) return
    colours.current ??= coloursNow(box.current!)
    const scale = globalThis.devicePixelRatio || 1
    const [wide, tall] = [Math.round(width * scale), Math.round(size.height * scale)]
    if (canvas.current!.width !== wide || canvas.current!.height !== tall) {
      canvas.current!.width = wide
      canvas.current!.height = tall
    }
    context.setTransform(scale, 0, 0, scale, 0, 0)
    const { hover, ghost } = pointer
    draw(context, { drawing, view, size, colours: colours.current, cursor, now, hover, ghost })
  })
  usePanAndZoom(canvas, props, size)
  return (
    <div class="canvas" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={props.label}
        class={pointer.grab ? 'grab' : ''}
        style={{ height: `${size.height}px` }}
        {...pointerEvents(props, size, pointer, setPointer)}
      />
      {pointer.hover !== undefined && pointer.ghost === undefined && drawing.marks[pointer.hover] !== undefined ? (
        <div class="tip" style={tipPlace(pointer.spot, size)}>
          {props.say(drawing.marks[pointer.hover]!)}
        </div>
      ) : undefined}
    </div>
  )
}

function tipPlace(spot: Spot, size: Size): Record<string, string> {
  const left = Math.max(0, Math.min(spot.x + 14, size.width - 240))
  return { left: `${left}px`, top: `${Math.min(spot.y + 16, size.height - 60)}px` }
}

function pointerEvents(props: CanvasProps, size: Size, pointer: Pointer, set: (pointer: Pointer) => void) {
  const { drawing, view } = props
  const spotOf = (event: PointerEvent): Spot => {
    const frame = (event.currentTarget as Element).getBoundingClientRect()
    return { x: event.clientX - frame.left, y: event.clientY - frame.top }
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      const spot = spotOf(event)
      ;(event.currentTarget as Element).setPointerCapture(event.pointerId)
      set({ ...pointer, spot, from: spot })
    },
    onPointerMove: (event: PointerEvent) => {
      const spot = spotOf(event)
      const { from } = pointer
      const ghost = from && props.onDrag ? ghostOf(drawing, size, view, from, spot) : undefined
      const grab = props.onDrag !== undefined && headAt(drawing, size, view, spot) !== undefined
      set({ spot, from, hover: markAt(drawing, size, view, spot), ghost, grab })
    },
    onPointerUp: (event: PointerEvent) => {
      const spot = spotOf(event)
      const { from } = pointer
      const ghost = from && props.onDrag ? ghostOf(drawing, size, view, from, spot) : undefined
      set({ ...NOWHERE, spot })
      if (ghost !== undefined) props.onDrag?.(ghost)
      else if (from !== undefined) props.onPick(pickAt(drawing, size, view, spot))
    },
    onPointerLeave: () => set(NOWHERE),
    onPointerCancel: () => set(NOWHERE),
  }
}

/** The mark that was clicked, or the last before the time that was. */
function pickAt(drawing: Drawing, size: Size, view: View, spot: Spot): number {
  const exact = markAt(drawing, size, view, spot)
  if (exact !== undefined) return exact
  const time = timeAt(size, view, spot.x)
  const after = drawing.marks.findIndex(mark => mark.at > time)
  return after < 0 ? drawing.marks.length - 1 : Math.max(0, after - 1)
}

/** The wheel moves the window with Shift or sideways, and zooms with Ctrl: a plain wheel scrolls the page. */
function usePanAndZoom(canvas: { current: HTMLCanvasElement | null }, props: CanvasProps, size: Size): void {
  const latest = useRef({ props, size })
  latest.current = { props, size }
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const onWheel = (event: WheelEvent) => {
      const { view, onView, drawing } = latest.current.props
      const sideways = event.shiftKey ? event.deltaY : event.deltaX
      if (event.ctrlKey) {
        const frame = element.getBoundingClientRect()
        onView(
          zoomed(view, drawing, 1.0015 ** event.deltaY, timeAt(latest.current.size, view, event.clientX - frame.left)),
        )
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        onView(moved(view, drawing, (sideways / latest.current.size.width) * (view.to - view.from)))
      } else return
      event.preventDefault()
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [canvas])
}

/** The window, larger or smaller around a time; never larger than the run, never smaller than 100 µs. */
export function zoomed(view: View, drawing: Drawing, factor: number, around: number): View {
  const whole = wholeView(drawing)
  const width = Math.min(whole.to - whole.from, Math.max(100, (view.to - view.from) * factor))
  const from = around - ((around - view.from) / (view.to - view.from)) * width
  return moved({ from, to: from + width }, drawing, 0)
}

export function moved(view: View, drawing: Drawing, by: number): View {
  const whole = wholeView(drawing)
  const width = view.to - view.from
  const from = Math.max(whole.from, Math.min(whole.to - width, view.from + by))
  return { from, to: from + width }
}

export function wholeView(drawing: Drawing): View {
  const air = (drawing.last - drawing.first) * 0.03
  return { from: drawing.first - air / 2, to: drawing.last + air }
}
