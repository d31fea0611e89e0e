import { describe, expect, it } from 'vitest'
import { createCallbackUrl } from './callback-url.ts'

describe('createCallbackUrl', () => {
  it('puts a new random secret of 32 bytes at the end of the path', () => {
    const { url, secret } = createCallbackUrl('https://publisher.example/callbacks/')
    expect(url).toBe(`https://publisher.example/callbacks/${secret}`)
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(createCallbackUrl('https://publisher.example/callbacks/').secret).not.toBe(secret)
  })

  it('uses only URL-safe characters in the secret', () => {
    for (let count = 0; count < 50; count += 1)
      expect(createCallbackUrl('https://publisher.example').secret).toMatch(/^[\w-]{43}$/)
  })

  it('joins the secret with a single slash', () => {
    const { url, secret } = createCallbackUrl('https://publisher.example/callbacks//')
    expect(url).toBe(`https://publisher.example/callbacks/${secret}`)
  })

  it("preserves the base's query and allows http on loopback", () => {
    const { url, secret } = createCallbackUrl('http://127.0.0.1:3000?source=loans')
    expect(url).toBe(`http://127.0.0.1:3000/${secret}?source=loans`)
  })

  it.each([
    '/callbacks',
    'http://publisher.example/callbacks',
    'https://publisher.example/#x',
    'https://user:pass@publisher.example/',
    'https://publisher.example/?event=x',
    'https://publisher.example/?lead_id=x',
    'https://publisher.example/?tag=a&%6Cead_id=x',
  ])('refuses %s', base => expect(() => createCallbackUrl(base)).toThrow('A callback URL must'))
})
