// What users give us to be told of something: a listener of theirs, called in the middle of our own work.

/**
 * Calls it. What it throws is the user's own error, and shows up like that of any listener, as an uncaught exception: thrown here it would
 * end the node that tells, and with it everything else that the user does with the group.
 */
export function callUser<Told>(listener: ((told: Told) => unknown) | undefined, told: Told): void {
  try {
    listener?.(told)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
