// Errors that reach a user. Each says whether the thing certainly did not happen or may have happened,
// what each server answered where servers were asked, and what to do.

/** Whether what failed may have happened all the same. */
export type Outcome =
  /** It certainly did not happen: it is safe to try again. */
  | 'did not happen'
  /** It may have happened: look before you try again. */
  | 'may have happened'

/** What every error of this library is: it says whether the thing may have happened. */
export abstract class CoterieError extends Error {
  abstract readonly outcome: Outcome
  /** What each server said, where servers were asked. */
  readonly answers: Readonly<Record<string, string>>

  constructor(message: string, answers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.answers = answers
  }
}

/** The error, with what led to it: the reason of a signal, the failure of a node. */
export function because<E extends Error>(error: E, cause: unknown): E {
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
  return error
}

/** Settings that cannot work. The message says what would. */
export class SettingsError extends CoterieError {
  override readonly name = 'SettingsError'
  readonly outcome = 'did not happen'
}

/** Why a lock was not taken. */
export type NotAcquiredReason =
  /** Somebody else holds it. */
  | 'contended'
  /** Too few servers answered. */
  | 'unreachable'
  /** Servers restarted and wait until every lease they may have granted has run out. */
  | 'recovering'
  /** The caller's `signal` fired. */
  | 'cancelled'
  /** Too many callers of this process wait for it. */
  | 'crowded'
  /** The request cannot be sent: its ttl, its name or its token. */
  | 'invalid'

/** The lock was not taken: the time ran out, the caller gave up, or too few servers answered. */
export class NotAcquired extends CoterieError {
  override readonly name = 'NotAcquired'
  readonly outcome = 'did not happen'
  readonly reason: NotAcquiredReason

  constructor(lock: string, reason: NotAcquiredReason, answers: Readonly<Record<string, string>>, after: string) {
    super(`lock '${lock}' was not acquired ${after}: ${explainReason(reason)}${listAnswers(answers)}`, answers)
    this.reason = reason
  }
}

function explainReason(reason: NotAcquiredReason): string {
  switch (reason) {
    case 'contended':
      return 'somebody else holds it. Wait longer (timeout), or look who does (coterie locks).'
    case 'unreachable':
      return 'too few servers answered. Check that they run (coterie status).'
    case 'recovering':
      return 'servers that were not stopped cleanly wait until every lease they may have granted has run out.'
    case 'cancelled':
      return 'the signal fired.'
    case 'crowded':
      return 'too many callers of this process wait for it.'
    case 'invalid':
      return 'the request is beyond what can be asked for.'
  }
}

function listAnswers(answers: Readonly<Record<string, string>>): string {
  const list = Object.entries(answers).map(([server, answer]) => `${server}: ${answer}`)
  return list.length === 0 ? '' : ` Answers: ${list.join('; ')}.`
}

/** The lease is no longer held: it ran out, or too few servers renewed it. */
export class LeaseLost extends CoterieError {
  override readonly name = 'LeaseLost'
  readonly outcome = 'may have happened'

  constructor(lock: string, why: string, answers: Readonly<Record<string, string>> = {}) {
    super(
      `the lease of lock '${lock}' is lost: ${why}. Stop what it protects; what was done with its token is fenced.`,
      answers,
    )
  }
}

/** Not allowed: a stranger's certificate, an expired one, another group's. */
export class Refused extends CoterieError {
  override readonly name = 'Refused'
  readonly outcome = 'did not happen'
}

/** A file that is not what it should be. The message says which, and what to do. */
export class FileError extends CoterieError {
  override readonly name = 'FileError'
  readonly outcome = 'did not happen'
}

/** The group was closed, or no server could be reached in time. */
export class Unavailable extends CoterieError {
  override readonly name = 'Unavailable'
  readonly outcome = 'did not happen'
}

/** Why there was no answer. */
export type NotAnsweredReason =
  /** The session is over: what it submitted may or may not have been applied. */
  | 'no session'
  /** The caller's `signal` fired, or its `timeout` passed. */
  | 'cancelled'
  /** It cannot be sent: a name, a key, a body or a ttl beyond the limits. */
  | 'invalid'
  /** Too much is under way already. */
  | 'crowded'
  /** The group was closed, or this node ended. */
  | 'closed'

/** An operation on an object, or a read, without an answer. `outcome` says whether it may have been applied. */
export class NotAnswered extends CoterieError {
  override readonly name = 'NotAnswered'
  readonly outcome: Outcome
  readonly reason: NotAnsweredReason

  constructor(
    object: string,
    reason: NotAnsweredReason,
    outcome: Outcome,
    answers: Readonly<Record<string, string>> = {},
  ) {
    const certain = outcome === 'did not happen' ? 'It was certainly not applied.' : 'It may have been applied.'
    super(`object '${object}' gave no answer: ${explainNotAnswered(reason)} ${certain}${listAnswers(answers)}`, answers)
    this.reason = reason
    this.outcome = outcome
  }
}

function explainNotAnswered(reason: NotAnsweredReason): string {
  switch (reason) {
    case 'no session':
      return 'the session is over.'
    case 'cancelled':
      return 'the caller stopped waiting. Check that enough servers run (coterie status).'
    case 'invalid':
      return 'the request is beyond what can be asked for.'
    case 'crowded':
      return 'too much is under way; wait for answers before you ask for more.'
    case 'closed':
      return 'the group was closed, or this node ended.'
  }
}

/** The object's `apply` threw: its message is here, and the state is as before. */
export class OperationFailed extends CoterieError {
  override readonly name = 'OperationFailed'
  readonly outcome = 'did not happen'
}
