/**
 * Decodes a text file of UTF-8, with a byte order mark or without one. A decoder that is not told to throw would put `�` in
 * place of what it cannot read, and the text would go on as if its author had written that.
 * @throws RangeError other bytes. The message, the rest of a sentence about the file, names the first wrong one.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new RangeError(`is not UTF-8: ${wrongByte(bytes)}. Save it as UTF-8.`)
  }
}

function wrongByte(bytes: Uint8Array): string {
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? 'LE' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'BE' : undefined
  if (mark !== undefined) return `it begins as UTF-16 ${mark} does`
  // The same up to the first byte that is no part of a character.
  const readable = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  const offset = bytes.findIndex((byte, index) => byte !== readable[index])
  if (offset === -1) return `it ends within a character, at byte offset ${bytes.length}`
  return `the byte at offset ${offset} is 0x${bytes[offset]?.toString(16).toUpperCase().padStart(2, '0')}`
}
