import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHiding } from './hide-values.ts'

const jsonEscaped = (text: string) =>
  [...Array(text.length).keys()].map(at => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
const percent = (text: string) => [...new TextEncoder().encode(text)].map(byte => `%${byte.toString(16)}`).join('')

/** The encodings that a program may use for a value, by name. */
const spellings: Record<string, (text: string) => string> = {
  'as it is': text => text,
  'in capitals': text => text.toUpperCase(),
  'in lower case': text => text.toLowerCase(),
  'as decomposed Unicode': text => text.normalize('NFD'),
  'in a JSON text': text => JSON.stringify(text),
  'in a JSON text of ASCII': jsonEscaped,
  'in a JSON text in a JSON text': text => JSON.stringify(JSON.stringify(text)),
  'as a component of a URL': text => encodeURIComponent(text),
  'in a URL': text => encodeURI(text),
  'with every byte in percent encoding': percent,
  'percent-encoded twice': text => encodeURIComponent(encodeURIComponent(text)),
  'in a form': text => new URLSearchParams({ a: text }).toString().slice(2),
  'in a JSON text in a form': text => new URLSearchParams({ a: jsonEscaped(text) }).toString().slice(2),
  'in HTML': text => text.replace(/[^\w ]/gu, found => `&#${found.codePointAt(0)};`),
  'in HTML, hexadecimal': text => text.replace(/[^\w ]/gu, found => `&#x${found.codePointAt(0)?.toString(16)};`),
}

/** A realistic value that does not occur elsewhere by chance. */
const value = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 }).filter(text => {
  const { length } = text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '')
  return length >= 6 && !text.includes('\ufffd') && text === text.trim()
})

describe('masking values', () => {
  it.each([
    ['that contains another', ['Ana', 'Anaya', '600', '600123456'], 'ok Anaya 600123456', 'ok *** ***'],
    ['that contains another, given last', ['Anaya', 'Ana', '600123456', '600'], 'ok Anaya 600123456', 'ok *** ***'],
    ['that overlaps another', ['Maria Jose', 'Jose Luis'], 'Maria Jose Luis!', '***!'],
    ['that overlaps itself', ['anana'], 'ananana', '***'],
    ['in another letter case', ['Anaya'], 'ok ANAYA anaya', 'ok *** ***'],
    ['in another letter case, longer', ['Groß'], 'Herr GROSS', 'Herr ***'],
    ['without its accents', ['José Núñez'], 'ok JOSE NUNEZ', 'ok ***'],
    [
      'decoded in the wrong character set',
      ['José Núñez'],
      'ok Jos\ufffd N\ufffd\ufffdez, Jos\ufffd N\ufffd\ufffdez',
      'ok ***, ***',
    ],
    ['with named entities', ['José O’Hara & Co'], 'ok Jos&eacute; O&rsquo;Hara &amp; Co.', 'ok ***.'],
    ['with a phone number in groups', ['600123456', '+34'], '+34 600 12 34-56 ok', '*** *** ok'],
    ['with an IBAN in groups', ['ES9121000418450200051332'], 'ES91 2100 0418 4502 0005 1332.', '***.'],
    ['with other separators in the text', ['ana anaya'], 'Ana_Anaya ana-anaya', '*** ***'],
    ['with a character that reads as two digits', ['a"%㉑'], 'ok a\\"%㉑', 'ok ***'],
    ['in capitals, escaped', ['José & Ana'], 'ok JOS\\U00C9 &AMP; AN&#X41;', 'ok ***'],
    ['of markup', ['$&', '.*', '\\d'], 'a $& b .* c \\d', 'a *** b *** c ***'],
    ['that is blank', ['', '   '], 'nothing   here', 'nothing   here'],
  ])('finds a value %s', (_title, values, text, hidden) => {
    expect(createHiding(values)(text)).toBe(hidden)
  })

  it.each([
    ['a start', ['whsec_NmQyOTJl'], 'x whsec_Nm', 'x ***'],
    ['one letter', ['whsec_NmQyOTJl'], 'x w', 'x ***'],
    ['the longest start', ['ana', 'ana anaya', 'anabel'], 'x ana an', 'x ***'],
    ['half an escape', ['José Anaya'], 'x Jos%C3', 'x ***'],
    ['half a nested escape', ['José Anaya'], 'x Jos%25C3%25', 'x ***'],
    ['half a JSON escape', ['José Anaya'], 'x Jos\\u00', 'x ***'],
    ['half an entity', ['José Anaya'], 'x Jos&eac', 'x ***'],
    ['half a character', ['José Anaya'], 'x Jos\ufffd', 'x ***'],
    ['half a phone number, in groups', ['600123456'], 'x 600 12 3', 'x ***'],
    ['nothing of it', ['whsec_NmQyOTJl'], 'x y', 'x y'],
  ])('masks in a truncated text: %s', (_title, values, text, hidden) => {
    expect(createHiding(values)(text, true)).toBe(hidden)
  })

  it.each(Object.entries(spellings))('leaves no part of a value %s, wherever the text is truncated', (_name, spell) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.nat(), (values, cut) => {
        const hide = createHiding(values)
        const text = `<<${values.map(spell).join('>><<')}>>`
        expect(hide(text)).toMatch(/^(?:[<>"\\]|\*\*\*)*$/)
        // Half an escape of the first letter reveals nothing.
        const left = hide(text.slice(0, cut % text.length), true).replaceAll('***', '')
        expect(left).toMatch(/^[<>"\\]*[%\\&#\dA-Fa-fux\ud800-\udbff]{0,20}$/)
      }),
      { numRuns: 100 },
    )
  })
})
