import { acceptedPixelEvents } from '@lead-distribution/contract'
import { ConfigError, ValidationError } from '@lead-distribution/sdk-core/errors'
import { describe, expect, it } from 'vitest'
import { type Postback, postbackImage, postbackText } from './postback-text.ts'
import { PostbackUrl } from './postback-url.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'
const bare = `${baseUrl}/lead/${lead_id}/status`
const text = (raw: string, postback: Postback<'known'>, events: readonly string[] = acceptedPixelEvents) =>
  postbackText(PostbackUrl.parse(raw, { baseUrl }), postback, events)

describe('what is appended', () => {
  it.each(['hunter2', 'a~b', 'YWJj+/==', 'a%2Fb%20c', "it's", 'a:b|c^d`e', '%7e%7E', '%E0%A4%A', 'a?', '?', 'a,b;c'])(
    'follows the token %s, which does not change',
    token => {
      const raw = `${bare}?token=${token}`
      expect(text(raw, { event: 'approved', ref: 'r' })).toBe(`${raw}&event=approved&ref=r`)
    },
  )

  it.each([
    ['a b&event=x~é', 'a%20b%26event%3Dx~%C3%A9'],
    ['100%+1#', '100%25%2B1%23'],
    ['<\'"🏦\n', "%3C'%22%F0%9F%8F%A6%0A"],
    ['', ''],
  ])('escapes the reference %j, and reads as it again', (ref, escaped) => {
    const whole = text(`${bare}?token=t`, { event: 'approved', ref })
    expect(whole).toBe(`${bare}?token=t&event=approved&ref=${escaped}`)
    expect(new URL(whole).searchParams.get('ref')).toBe(ref)
  })

  it('is joined by one & after a query that ends openly', () => {
    expect(text(`${bare}?token=t&`, { event: 'approved' })).toBe(`${bare}?token=t&event=approved`)
    expect(text(`${bare}?&token=t&&`, { event: 'approved' })).toBe(`${bare}?&token=t&&event=approved`)
  })

  it('is the event by the name that was given', () => {
    expect(text(`${bare}?token=t`, { event: 'loan_issued' })).toBe(`${bare}?token=t&event=loan_issued`)
  })
})

describe('what the URL carries already', () => {
  it.each(['approved', 'loan_issued'] as const)('is sent unchanged where it is the same event: %s', event => {
    const raw = `${bare}?event=${event}&token=t&ref=r%20s`
    expect(text(raw, { event: 'approved', ref: 'r s' })).toBe(raw)
    expect(text(raw, { event: 'loan_issued' })).toBe(raw)
  })

  it.each([
    ['event=rejected', {}],
    ['%65vent=rejected', {}],
    ['event=', {}],
    ['event={event}', {}],
    ['event=Approved', {}],
    ['ref=r', { ref: 's' }],
    ['ref=', { ref: 's' }],
  ])('is not replaced: %s', (carried, more) => {
    expect(() => text(`${bare}?token=t&${carried}`, { event: 'approved', ...more })).toThrow(ConfigError)
  })
})

describe('what is no postback', () => {
  it.each<[string, unknown]>([
    ['event', { event: 'converted' }],
    ['event', { event: '' }],
    ['event', {}],
    ['event', undefined],
    ['ref', { event: 'approved', ref: 'r'.repeat(256) }],
    ['ref', { event: 'approved', ref: 7 }],
    ['ref', { event: 'approved', ref: null }],
    ['ref', { event: 'approved', ref: '\ud83d' }],
  ])('is reported by its field %s', (field, postback) => {
    const error = expect.objectContaining({ issues: [{ field, issue: expect.any(String) }] })
    expect(() => text(`${bare}?token=t`, postback as never)).toThrow(error)
    expect(() => text(`${bare}?token=t`, postback as never)).toThrow(ValidationError)
  })

  it('may have a reference of 255 characters', () => {
    expect(text(`${bare}?token=t`, { event: 'approved', ref: 'r'.repeat(255) })).toContain('r'.repeat(255))
  })
})
const imageUrl = `${baseUrl}/lead/3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11/status`
const parse = (raw: string) => PostbackUrl.parse(raw, { baseUrl })

describe('the image of a postback', () => {
  it('is one tag that is fetched unseen and at once, with every attribute quoted', () => {
    expect(postbackImage(parse(`${imageUrl}?token=t`), { event: 'approved', ref: 'a"b' })).toBe(
      `<img src="${imageUrl}?token=t&amp;event=approved&amp;ref=a%22b" width="1" height="1" alt="" hidden loading="eager" referrerpolicy="no-referrer">`,
    )
  })

  it('ends neither its attribute nor a quoted script around it', () => {
    const image = postbackImage(parse(`${imageUrl}?token=a'b&copy=1&lt`), { event: 'loan_paid', ref: '"><script>' })
    expect(image).toContain('token=a&#39;b&amp;copy=1&amp;lt&amp;event=loan_paid&amp;ref=%22%3E%3Cscript%3E"')
    expect(image.match(/[<>']/g)).toEqual(['<', '>'])
  })

  it.each([{ event: 'converted' }, { event: 'x" onload="alert(1)' }, {}])('is not made for %o', postback => {
    expect(() => postbackImage(parse(`${imageUrl}?token=t`), postback as never)).toThrow(
      expect.objectContaining({ code: 'validation' }),
    )
  })

  it('is not made of a URL that carries another event, or of a text', () => {
    expect(() => postbackImage(parse(`${imageUrl}?token=t&event=rejected`), { event: 'approved' })).toThrow(
      'another `event`',
    )
    expect(() => postbackImage(`${imageUrl}?token=t` as never, { event: 'approved' })).toThrow('no PostbackUrl')
  })
})
