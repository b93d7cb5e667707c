// The part of qlobber that the benchmark uses; the package has no types of its own.
declare module 'qlobber' {
  interface Options {
    readonly separator: string
    readonly wildcard_one: string
    readonly wildcard_some: string
  }
  class Qlobber {
    constructor(options: Options)
    add(topic: string, value: number): this
    match(topic: string): number[]
  }
  const qlobber: { readonly Qlobber: typeof Qlobber }
  export default qlobber
}
