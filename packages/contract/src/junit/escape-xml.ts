/**
 * Text made safe to stand in a quoted attribute or between tags of XML 1.0. What XML cannot hold in any spelling
 * (control characters, halves of a surrogate pair) becomes U+FFFD; tabs and line ends outlive the attribute.
 */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"'\t\n\r]/g, character => `&#${character.charCodeAt(0)};`)
}
