// What stands around every view: the name, the ways, the switch of the scheme.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Brand } from './panels/signs.tsx'

export type Scheme = 'auto' | 'light' | 'dark'

const WAYS = [
  ['level', '#level=1', 'Play the traitor'],
  ['lessons', '#lessons', 'Lessons'],
  ['runs', '#runs', 'Any run'],
  ['zoo', '#zoo', 'Bug zoo'],
  ['explorer', '#explorer', 'Explorer'],
  ['experiments', '#experiments', 'Experiments'],
] as const

export type Way = (typeof WAYS)[number][0]

const KEY = 'coterie-scheme'

function storedScheme(): Scheme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'auto'
  } catch {
    return 'auto'
  }
}

/** The reader's scheme; and a word that changes whenever the colours do. */
export function useScheme(): readonly [scheme: Scheme, colours: string, set: (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState<Scheme>(storedScheme)
  const [dark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const onChange = () => setDark(query.matches)
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [])
  document.documentElement.dataset.scheme = scheme
  const set = (next: Scheme) => {
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // A page from a disk may have no memory; the choice then lasts as long as the page.
    }
    setScheme(next)
  }
  return [scheme, `${scheme} ${dark}`, set]
}

interface FrameProps {
  readonly way: Way | undefined
  readonly scheme: Scheme
  onScheme(scheme: Scheme): void
  readonly children: ComponentChildren
}

export function Frame({ way, scheme, onScheme, children }: FrameProps): JSX.Element {
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        To the content
      </button>
      <header class="top">
        <a class="brand" href="#level=1">
          <Brand /> Coterie’s laboratory
        </a>
        <nav aria-label="Laboratory">
          <ul>
            {WAYS.map(([name, href, title]) => (
              <li key={name}>
                <a href={href} aria-current={name === way ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <select aria-label="Colours" value={scheme} onChange={event => onScheme(event.currentTarget.value as Scheme)}>
          <option value="auto">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot">
        Everything here runs in your browser: the protocol code is the code that ships, in the simulator that tests it.
        Nothing is loaded from elsewhere, and nothing is sent.
      </footer>
    </>
  )
}

/** Not by a link: the fragment is the run's. */
function toMain(): void {
  document.getElementById('main')?.focus()
}
