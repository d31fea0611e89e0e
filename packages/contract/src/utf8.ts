/**
 * Decodes a UTF-8 text file, with or without a byte order mark. A lenient decoder would replace invalid bytes by `�`,
 * and the text would be sent that way.
 * @throws RangeError if it is not UTF-8. The message, the rest of a sentence about the file, names the first invalid
 * byte.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new RangeError(`is not UTF-8: ${describeWrongByte(bytes)}. Save it as UTF-8.`)
  }
}

function describeWrongByte(bytes: Uint8Array): string {
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? 'LE' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'BE' : undefined
  if (mark !== undefined) return `it starts with the byte order mark of UTF-16 ${mark}`
  const offset = wrongByteIn(bytes) ?? bytes.length
  if (offset === bytes.length) return `it ends within a character, at byte offset ${offset}`
  return `the byte at offset ${offset} is 0x${bytes[offset]?.toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Returns the offset of the first byte that is not valid UTF-8; the length if the last character is truncated;
 * undefined if all bytes are valid.
 */
export function wrongByteIn(bytes: Uint8Array): number | undefined {
  // Equal up to the first byte that the decoder replaced.
  const readable = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  const offset = bytes.findIndex((byte, index) => byte !== readable[index])
  if (offset !== -1) return offset
  return bytes.length === readable.length ? undefined : bytes.length
}
