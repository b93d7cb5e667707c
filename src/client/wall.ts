/** The wall clock in microseconds; the part below a millisecond comes from the monotonic clock, to tell calls apart. */
export function wallMicros(): number {
  return Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000)
}
