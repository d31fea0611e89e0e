/** Where seeds, secrets and names come from that nobody chose. */
export interface Entropy {
  /** So many bytes that cannot be foretold. */
  bytes(count: number): Uint8Array<ArrayBuffer>
}
