import { describe, expect, it } from 'vitest'
import { ConfigError, PostbackUrl } from './index.ts'
import { createTestPostbackUrl } from './testing.ts'

const lead_id = '3F2B8C1E-5D1A-4C55-9A70-2B7D0F6F1C11'

describe('a test postback URL', () => {
  it('has a new lead id each time, and the given event', async () => {
    const raw = await createTestPostbackUrl({ event: 'registration' })
    expect(new URL(raw).searchParams.get('event')).toBe('registration')
    expect(raw.split('?')[0]).not.toBe((await createTestPostbackUrl()).split('?')[0])
  })

  it('accepts any service, secret and token format, and escapes the token', async () => {
    const baseUrl = 'https://acme.example.com/api/v1/'
    const own = { lead_id, advertiser_id: lead_id, secret: 'own' }
    const format = { hash: 'SHA-512', joiner: '|', encoding: 'base64' } as const
    const raw = await createTestPostbackUrl({ baseUrl, ...own, ...format })
    expect(raw).toMatch(/^https:\/\/acme\.example\.com\/api\/v1\/lead\/[-0-9A-F]{36}\/status\?token=[\w%]{86,}%3D%3D$/)
    expect(PostbackUrl.parse(raw, { baseUrl }).lead_id).toBe(lead_id.toLowerCase())
  })

  it("requires a service's base URL", async () => {
    await expect(createTestPostbackUrl({ baseUrl: 'acme.example.com' })).rejects.toSatisfy(ConfigError.is)
  })
})
