// From the address to the view, and back: every change of a run becomes its address.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { unpackAddress } from '../src/play/pack.ts'
import { encodeRun } from '../src/simulator/index.ts'
import { Frame, useScheme, type Way } from './frame.tsx'
import { Later } from './later.tsx'
import { type Route, routeOf } from './routes.ts'
import { LevelView } from './views/level.tsx'
import { RunView } from './views/run.tsx'

export function App(): JSX.Element {
  const [route, setRoute] = useState<Route>(() => routeOf(location.hash.startsWith(PACKED) ? '' : location.hash))
  const [scheme, colours, setScheme] = useScheme()
  useEffect(() => {
    const onChange = async () => {
      setRoute(await unpackedRoute(location.hash))
      scrollTo(0, 0)
    }
    if (location.hash.startsWith(PACKED)) onChange()
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return (
    <Frame way={wayOf(route)} scheme={scheme} onScheme={setScheme}>
      <View route={route} scheme={colours} />
    </Frame>
  )
}

const PACKED = '#z='

/** A long address is sent packed. */
async function unpackedRoute(fragment: string): Promise<Route> {
  if (!fragment.startsWith(PACKED)) return routeOf(fragment)
  const unpacked = await unpackAddress(fragment)
  return unpacked.ok ? routeOf(unpacked.text) : { way: 'refused', refusal: unpacked.refusal }
}

function wayOf(route: Route): Way | undefined {
  if (route.way === 'lesson') return 'lessons'
  if (route.way === 'run') return 'runs'
  if (route.way === 'walk') return 'explorer'
  return route.way === 'refused' ? undefined : route.way
}

function View({ route, scheme }: { route: Route; scheme: string }): JSX.Element {
  switch (route.way) {
    case 'level':
      return <LevelView key={route.number} number={route.number} scheme={scheme} />
    case 'run':
      return <RunView key={encodeRun(route.spec)} spec={route.spec} scheme={scheme} />
    case 'refused':
      return (
        <>
          <p class="notice" role="alert">
            This address cannot be shown: {route.refusal} Here is the first level instead.
          </p>
          <LevelView number={1} scheme={scheme} />
        </>
      )
    default:
      return (
        <Later
          key={`${route.way} ${'name' in route ? route.name : ''}`}
          script="lists"
          way={route.way}
          name={'name' in route ? route.name : undefined}
          scheme={scheme}
        />
      )
  }
}
