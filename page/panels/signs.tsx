// Small drawings: none is the only bearer of what it says.

import type { JSX } from 'preact'

const path = (shape: string) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={shape} />
  </svg>
)

export const FIRST: JSX.Element = path('M3 3h2v10H3zM13 3v10L6 8z')
export const BACK: JSX.Element = path('M11 3v10L4 8z')
export const PLAY: JSX.Element = path('M4 2.5v11L13 8z')
export const HALT: JSX.Element = path('M4 3h3v10H4zM9 3h3v10H9z')
export const STEP: JSX.Element = path('M5 3l7 5-7 5z')
export const LAST: JSX.Element = path('M11 3h2v10h-2zM3 3l7 5-7 5z')

export function VerdictSign({ good }: { good: boolean }): JSX.Element {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2.2" aria-hidden="true">
      <circle cx="10" cy="10" r="8.6" />
      {good ? <path d="M6 10.4l2.8 2.8L14.2 7.4" /> : <path d="M6.8 6.8l6.4 6.4M13.2 6.8l-6.4 6.4" />}
    </svg>
  )
}

export function Brand(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <circle class="ring" cx="16" cy="5.5" r="3.6" />
      <circle class="ring" cx="26" cy="12.8" r="3.6" />
      <circle class="ring" cx="6" cy="12.8" r="3.6" />
      <circle class="ring" cx="9.8" cy="24.6" r="3.6" />
      <circle class="ring liar" cx="22.2" cy="24.6" r="3.6" />
    </svg>
  )
}

/** What the lines of the picture mean. */
export function Legend(): JSX.Element {
  return (
    <p class="legend">
      <span>
        <svg viewBox="0 0 26 10" aria-hidden="true">
          <path class="key-arrow" d="M0 5h25" />
        </svg>
        message
      </span>
      <span>
        <svg viewBox="0 0 26 10" aria-hidden="true">
          <path class="key-lie" d="M0 5h25" />
        </svg>
        lie
      </span>
      <span>
        <svg viewBox="0 0 26 10" aria-hidden="true">
          <rect class="key-inside" y="1" width="26" height="8" rx="4" />
        </svg>
        inside
      </span>
      <span>
        <svg viewBox="0 0 26 10" aria-hidden="true">
          <rect class="key-both" y="0" width="26" height="10" opacity=".25" />
          <path stroke="currentColor" d="M0 0v10" />
        </svg>
        two at once
      </span>
    </p>
  )
}
