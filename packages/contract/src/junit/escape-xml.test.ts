import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeXml } from './escape-xml.ts'
import { readXml } from './read-xml.fixture.ts'

it('lets any text stand in an attribute and between tags', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const { attributes, text: content } = readXml(`<a b="${escapeXml(text)}">${escapeXml(text)}</a>`)
      expect([attributes.b, content]).toEqual([text, text])
    }),
  )
})

it('keeps a document well-formed by binary text as well', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(readXml(`<a b="${escapeXml(text)}"/>`).name).toBe('a')
    }),
  )
})

it.each([
  ['a <b> & "c" \'d\'', 'a &#60;b&#62; &#38; &#34;c&#34; &#39;d&#39;'],
  [']]>', ']]&#62;'],
  ['\t\n\r', '&#9;&#10;&#13;'],
  ['\u0000\u001b\u{ffff}\ud800', '\u{fffd}\u{fffd}\u{fffd}\u{fffd}'],
  ['Crédito 🏠', 'Crédito 🏠'],
])('writes %j as %j', (text, written) => {
  expect(escapeXml(text)).toBe(written)
})
