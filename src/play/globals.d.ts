// What browsers and Node have in common for packing bytes.

interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
  cancel(): Promise<void>
}
interface ByteWriter {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}
interface ByteTransform {
  readonly readable: { getReader(): ByteReader }
  readonly writable: { getWriter(): ByteWriter }
}
declare const CompressionStream: new (format: string) => ByteTransform
declare const DecompressionStream: new (format: string) => ByteTransform
