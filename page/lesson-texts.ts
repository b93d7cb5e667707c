// The lessons of docs/lessons, as they are written: the build takes them in as text.

import text01 from '../docs/lessons/01-a-lock-without-a-master.md'
import text02 from '../docs/lessons/02-one-liar-two-holders.md'
import text03 from '../docs/lessons/03-one-server-more.md'
import text04 from '../docs/lessons/04-a-late-message.md'
import text05 from '../docs/lessons/05-the-lock-that-ships.md'
import text06 from '../docs/lessons/06-yes-to-everybody.md'
import text07 from '../docs/lessons/07-sleep.md'
import text08 from '../docs/lessons/08-servers-forget.md'
import text09 from '../docs/lessons/09-clocks.md'
import text10 from '../docs/lessons/10-a-majority-is-not-enough.md'
import text11 from '../docs/lessons/11-an-invented-history.md'
import text12 from '../docs/lessons/12-asking-everybody.md'
import { type Lesson, readLesson } from '../src/play/lessons.ts'

const TEXTS = [text01, text02, text03, text04, text05, text06, text07, text08, text09, text10, text11, text12]

/** A lesson that cannot be read is left out; a test reads them all. */
export const lessons: readonly Lesson[] = TEXTS.map(readLesson).filter(lesson => typeof lesson !== 'string')
