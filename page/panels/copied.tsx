// A text to be copied, with the button that does it.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

export function Copied({ label, text }: { label: string; text: string }): JSX.Element {
  const [said, setSaid] = useState('')
  const copy = (input: HTMLInputElement | null) => {
    input?.select()
    navigator.clipboard?.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Selected: copy it with Ctrl-C'),
    )
  }
  const id = `copy-${label.length}`
  return (
    <div>
      <label class="field" for={id}>
        {label}
      </label>
      <div class="copy">
        <input id={id} type="text" readOnly value={text} />
        <button type="button" onClick={() => copy(document.getElementById(id) as HTMLInputElement | null)}>
          Copy
        </button>
      </div>
      <span class="small soft" role="status">
        {said}
      </span>
    </div>
  )
}
