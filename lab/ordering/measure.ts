// What a batch of operations, submitted by as many clients at once, costs.

export interface Batch {
  /** From submission to response, in message times, one for each operation. */
  readonly delays: readonly number[]
  /** Delivered until the last response. */
  readonly messages: number
  /** In how many versions the operations were applied. */
  readonly versions: number
}
