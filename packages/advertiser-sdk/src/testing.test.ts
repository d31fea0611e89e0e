import { describe, expect, it } from 'vitest'
import { AuthError, ConfigError, createAdvertiser, PostbackUrl } from './index.ts'
import { createFakeService, createTestPostbackUrl, forgeTestPostbackUrls, type PostbackFlaw } from './testing.ts'

const lead_id = '3F2B8C1E-5D1A-4C55-9A70-2B7D0F6F1C11'

/** An advertiser of a fake service. */
function world() {
  const fake = createFakeService()
  return { fake, advertiser: createAdvertiser(fake.advertiser) }
}

describe('a test postback URL', () => {
  it('is one that the fake service takes, however the id is written', async () => {
    const { fake, advertiser } = world()
    for (const raw of [await createTestPostbackUrl(), await createTestPostbackUrl({ lead_id })]) {
      const url = advertiser.parsePostbackUrl(raw)
      expect((await advertiser.fire(url, { event: 'approved' })).outcome).toBe('received')
      expect((await advertiser.fire(url, { event: 'approved' })).outcome).toBe('ignored')
    }
    expect(fake.requests.map(({ credential }) => credential)).toEqual(Array(4).fill('right'))
  })

  it('is of another lead each time, and carries the event of its options', async () => {
    const raw = await createTestPostbackUrl({ event: 'registration' })
    expect(new URL(raw).searchParams.get('event')).toBe('registration')
    expect(raw.split('?')[0]).not.toBe((await createTestPostbackUrl()).split('?')[0])
  })

  it('is of any service, secret and format, its token escaped', async () => {
    const baseUrl = 'https://acme.example.com/api/v1/'
    const own = { lead_id, advertiser_id: lead_id, secret: 'own' }
    const format = { hash: 'SHA-512', joiner: '|', encoding: 'base64' } as const
    const raw = await createTestPostbackUrl({ baseUrl, ...own, ...format })
    expect(raw).toMatch(/^https:\/\/acme\.example\.com\/api\/v1\/lead\/[-0-9A-F]{36}\/status\?token=[\w%]{86,}%3D%3D$/)
    expect(PostbackUrl.parse(raw, { baseUrl }).lead_id).toBe(lead_id)
  })

  it('needs an address of a service', async () => {
    await expect(createTestPostbackUrl({ baseUrl: 'acme.example.com' })).rejects.toSatisfy(ConfigError.is)
    await expect(forgeTestPostbackUrls({ baseUrl: 'acme.example.com' })).rejects.toSatisfy(ConfigError.is)
  })
})

/** What an advertiser gets when it fires the URL. */
const errorCodes: Record<PostbackFlaw, 'config' | 'auth'> = {
  other_host: 'config',
  lead_id_no_uuid: 'config',
  no_token: 'config',
  repeated_token: 'config',
  unknown_event: 'config',
  cut_token: 'auth',
  token_escaped_twice: 'auth',
  token_of_other_lead: 'auth',
  token_of_other_advertiser: 'auth',
  token_of_wrong_secret: 'auth',
}

describe('a forged postback URL', () => {
  it.each(Object.entries(errorCodes))('(%s) is refused: %s', async (flaw, code) => {
    const { advertiser } = world()
    const raw = (await forgeTestPostbackUrls({ lead_id }))[flaw as PostbackFlaw]
    const firing = async () => advertiser.fire(advertiser.parsePostbackUrl(raw), { event: 'approved' })
    await expect(firing()).rejects.toSatisfy(code === 'auth' ? AuthError.is : ConfigError.is)
  })
})

it('lets an advertiser find out that statuses are patched here', async () => {
  const { fake, advertiser } = world()
  fake.next('http_405')
  for (const status of ['converted', 'approved'] as const)
    expect(await advertiser.reportStatus(lead_id, { status })).toMatchObject({ outcome: 'reported', status })
  expect(fake.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH'])
})
