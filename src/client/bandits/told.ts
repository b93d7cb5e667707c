// Who learned what in a run, in sentences: part of every result, so that nobody has to remember the table.

import type { Asked } from './options.ts'

/** For a run inside one process. */
export function told({ options, names }: Asked): string {
  const here = 'All parties ran in this process, and it saw everything.'
  if (options.privacy === 'open') return `${here} The run was open: who runs it sees every pull and every reward.`
  const parties =
    'With every party at an owner of its own, the shuffler and the comparator learn nothing each, and both together the order of all arms; ' +
    'the user learns the answer; an arm learns its own pulls and rewards'
  const rest =
    names.length === 2
      ? ', and from them, as there are two arms, nearly everything about the other.'
      : ', and from them how good the best of the others is.'
  return `${here} ${parties}${rest}`
}
