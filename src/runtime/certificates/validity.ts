// Whether a certificate of our own holds now. A peer that is shown one that does not hangs up without a word, and from
// here it looks as if nobody were there: so a node asks before it says anything to anybody.

import type { X509Certificate } from 'node:crypto'
import { Refused } from '../../core/index.ts'

/** Throws `Refused`, with what to do, where the certificate in this file is not valid at this time. */
export function checkValidity(file: string, certificate: X509Certificate, now: Date): void {
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)]
  if (now < from) {
    throw new Refused(
      `${file} is not valid before ${from.toISOString()}, and this machine says that it is ${now.toISOString()}. ` +
        'Set the clock of this machine; if it is right, the machine that made the group was ahead.',
    )
  }
  if (now < to) return
  const advice = certificate.ca
    ? 'An authority is not renewed: make a new group (coterie init).'
    : 'Where the group was made, coterie renew DIR makes a new one; copy it here.'
  throw new Refused(`${file} expired on ${to.toISOString().slice(0, 10)}. ${advice}`)
}
