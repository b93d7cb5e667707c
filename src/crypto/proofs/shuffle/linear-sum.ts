// A sum of public multiples of elements, collected term by term: what is added twice is multiplied once.

import type { Element, Group, Term } from '../../group.ts'

export class LinearSum {
  private readonly group: Group
  private readonly terms = new Map<string, { readonly element: Element; times: bigint }>()

  constructor(group: Group) {
    this.group = group
  }

  add(element: Element, times: bigint): void {
    const name = String.fromCharCode(...element)
    const term = this.terms.get(name)
    if (term === undefined) this.terms.set(name, { element, times: times % this.group.order })
    else term.times = (term.times + times) % this.group.order
  }

  isIdentity(): boolean {
    const { group } = this
    const terms = [...this.terms.values()].map(({ element, times }): Term => [element, group.scalar(times)])
    return group.equal(group.sumOfProducts(terms), group.identity)
  }
}
