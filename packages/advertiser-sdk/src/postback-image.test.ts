import { describe, expect, it } from 'vitest'
import { postbackImage } from './postback-image.ts'
import { PostbackUrl } from './postback-url.ts'

const baseUrl = 'https://acme.example.com/api/v1'
const bare = `${baseUrl}/lead/3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11/status`
const parse = (raw: string) => PostbackUrl.parse(raw, { baseUrl })

describe('the image of a postback', () => {
  it('is one tag that is fetched unseen and at once, with every attribute quoted', () => {
    expect(postbackImage(parse(`${bare}?token=t`), { event: 'approved', ref: 'a"b' })).toBe(
      `<img src="${bare}?token=t&amp;event=approved&amp;ref=a%22b" width="1" height="1" alt="" hidden loading="eager" referrerpolicy="no-referrer">`,
    )
  })

  it('ends neither its attribute nor a quoted script around it', () => {
    const image = postbackImage(parse(`${bare}?token=a'b&copy=1&lt`), { event: 'loan_paid', ref: '"><script>' })
    expect(image).toContain('token=a&#39;b&amp;copy=1&amp;lt&amp;event=loan_paid&amp;ref=%22%3E%3Cscript%3E"')
    expect(image.match(/[<>']/g)).toEqual(['<', '>'])
  })

  it.each([{ event: 'converted' }, { event: 'x" onload="alert(1)' }, {}])('is not made for %o', postback => {
    expect(() => postbackImage(parse(`${bare}?token=t`), postback as never)).toThrow(
      expect.objectContaining({ code: 'validation' }),
    )
  })

  it('is not made of a URL that carries another event, or of a text', () => {
    expect(() => postbackImage(parse(`${bare}?token=t&event=rejected`), { event: 'approved' })).toThrow(
      'another `event`',
    )
    expect(() => postbackImage(`${bare}?token=t` as never, { event: 'approved' })).toThrow('no PostbackUrl')
  })
})
