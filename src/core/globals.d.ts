// The two globals that pure code may use: deterministic, and the same in Node and in a browser.

interface TextEncoderLike {
  encode(text: string): Uint8Array
}
interface TextDecoderLike {
  decode(bytes: Uint8Array): string
}
declare const TextEncoder: new () => TextEncoderLike
declare const TextDecoder: new (label?: string, options?: { fatal: boolean; ignoreBOM: boolean }) => TextDecoderLike
