// The traitor's question: what it was asked, what honesty would say, and one large button for each word.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { freeWord } from '../../src/simulator/index.ts'
import { brief } from '../../src/simulator/trace.ts'
import type { Played, PlayedQuestion } from '../played.ts'
import { sentenceOf } from '../words.ts'

interface QuestionProps {
  readonly play: Played
  readonly question: PlayedQuestion
  onSay(node: string, word: string): void
}

export function Asked({ play, question, onSay }: QuestionProps): JSX.Element {
  const { node, from, answers, body } = question
  const honest = JSON.stringify(question.honest)
  const seen = new Set<string>()
  // Two words that come to the same are one button: the one that says it by name, not the one that says it is the truth.
  const named = [...answers].sort((a, b) => Number(a.word.letter === 'h') - Number(b.word.letter === 'h'))
  const different = named.filter(({ says }) => {
    const text = JSON.stringify(says)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  return (
    <section class="card traitor" aria-labelledby="asked">
      <header>
        <h2 class="lie">You are {node}</h2>
        <span class="soft small">{(question.at / 1000).toFixed(2)} ms</span>
      </header>
      <p class="asked" id="asked">
        {askedSentence(from, node, body)} <b>What do you say?</b>
      </p>
      <div class="says">
        {different.map(({ word, says }) => (
          <button
            key={word.letter}
            type="button"
            data-word={word.letter}
            class={JSON.stringify(says) === honest ? 'truth' : ''}
            onClick={() => onSay(node, word.letter)}
          >
            <strong>{says.length === 1 ? spokenName(word.name, says[0]) : word.name}</strong>
            <span>{JSON.stringify(says) === honest ? `${word.title} (the truth)` : word.title}</span>
          </button>
        ))}
      </div>
      <FreeWord play={play} question={question} onSay={onSay} />
    </section>
  )
}

function askedSentence(from: string, node: string, body: unknown): string {
  const told = sentenceOf({ at: 0, kind: 'deliver', node, from, sentAt: 0, what: brief(body) })
  // To the one who is asked, and not about it.
  const said = told.replace(`${from} → ${node}: asks: `, `${from} asks you: `)
  return /[?.]$/.test(said) ? said : `${said}.`
}

function spokenName(name: string, body: unknown): string {
  const word = body as { readonly kind?: string; readonly locked?: boolean }
  if (word?.kind === 'status') return word.locked ? 'LOCKED' : 'FREE'
  return name
}

/** A message edited by hand: a field for each part of an answer that the wire knows. */
function FreeWord({ play, question, onSay }: QuestionProps): JSX.Element {
  const first = question.honest[0] ?? question.answers.find(({ says }) => says.length > 0)?.says[0]
  const [text, setText] = useState(() => JSON.stringify(first ?? {}, plain))
  const [refusal, setRefusal] = useState<string | undefined>(undefined)
  const vocabulary = play.vocabularyOf(question.node)
  const submit = (event: Event) => {
    event.preventDefault()
    if (vocabulary === undefined) return
    const made = read(text)
    const word = made === undefined ? { refusal: 'this is no JSON.' } : freeWord(vocabulary, made)
    if ('word' in word) onSay(question.node, word.word)
    else setRefusal(word.refusal)
  }
  return (
    <details>
      <summary class="small">Say something else</summary>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          A message to {question.from}, as JSON
          <input type="text" class="mono" value={text} onInput={event => setText(event.currentTarget.value)} />
        </label>
        {refusal === undefined ? undefined : (
          <p class="lie small" role="alert">
            {refusal}
          </p>
        )}
        <div>
          <button type="submit">Say it</button>
        </div>
      </form>
    </details>
  )
}

const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
