import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html } from './html-page.ts'

const attack = `"><script>alert('&')</script>`

describe('a template of HTML', () => {
  it('escapes every value that is not markup', () => {
    const inner = html`<b title="${attack}">${attack}</b>`
    expect(html`<p>${inner}${[inner, inner]}${7}${undefined}</p>`.text.match(/<[^>]*>/g)).toEqual([
      '<p>',
      ...Array(3)
        .fill([expect.stringContaining('<b title="&#34;&#62;&#60;script&#62;'), '</b>'])
        .flat(),
      '</p>',
    ])
  })

  it('contains no markup characters from a value, whatever the value is', async () => {
    await fc.assert(
      fc.property(fc.anything(), value => {
        // Values from the network may have the wrong type.
        fc.pre(!isUnprintable(value))
        expect(html`${value as string}`.text).not.toMatch(/[<>"']/)
      }),
    )
  })
})

/** An object without a text representation. */
function isUnprintable(value: unknown): boolean {
  try {
    String(value)
    return typeof value === 'symbol'
  } catch {
    return true
  }
}
