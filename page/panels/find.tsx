// A field to find something in a long list.

import type { JSX } from 'preact'

interface FindProps {
  readonly value: string
  readonly count: number
  readonly of: number
  onValue(value: string): void
}

export function Find({ value, count, of, onValue }: FindProps): JSX.Element {
  return (
    <div class="row end">
      <label class="field">
        Find
        <input type="text" class="find" value={value} onInput={event => onValue(event.currentTarget.value)} />
      </label>
      <p class="soft small" role="status">
        {value === '' ? '' : `${count} of ${of}`}
      </p>
    </div>
  )
}

/** Whether a text has all the words that are looked for. */
export function has(text: string, wanted: string): boolean {
  const all = text.toLowerCase()
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every(word => all.includes(word))
}
