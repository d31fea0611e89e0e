import { describe, expect, it } from 'vitest'
import { openSandbox } from '../sandbox.fixture.ts'

const adminToken = 'T0ken-of-the-operator'
const tenants = '/_sandbox/v1/tenants'
const mine = '30000000-0000-4000-8000-00000000000a'
const planted = 'planted0planted0'
const publisher = {
  api_key: `sandbox_pub_team_${planted}`,
  callback_secret: `whsec_${btoa('planted0planted0planted0planted0')}`,
}
const advertiser = {
  advertiser_id: mine,
  name: 'Mine',
  api_key: `sandbox_adv_team_${planted}`,
  postback_secret: 'planted by the team',
}

async function sharedSandbox() {
  const { call } = await openSandbox({ access: { adminToken } })
  const as = (token: string) => (method: string, path: string, body?: object) =>
    call(method, `${tenants}${path}`, body, { authorization: `Bearer ${token}` })
  return { admin: as(adminToken), as }
}

const fieldsOf = ({ json }: { json: { details?: { field: string }[] } }) => json.details?.map(({ field }) => field)

describe('a key or a secret', () => {
  it.each([
    ['publisher.api_key', { publisher: { api_key: `live_pub_team_${planted}` } }],
    ['publisher.api_key', { publisher: { api_key: advertiser.api_key } }],
    ['publisher.api_key', { publisher: { api_key: 'sandbox_pub_team_planted' } }],
    ['publisher.api_key', { publisher: { api_key: `sandbox_pub_te am_${planted}` } }],
    ['publisher.api_key', { publisher: { api_key: `sandbox_pub_team_${'planted0'.repeat(9)}` } }],
    ['publisher.callback_secret', { publisher: { callback_secret: `whsec_${btoa('planted')}` } }],
    ['publisher.callback_secret', { publisher: { callback_secret: btoa('planted0planted0planted0planted0') } }],
    ['publisher.callback_secret', { publisher: { callback_secret: `${publisher.callback_secret}${' '.repeat(99)}` } }],
    ['publisher.callback_secret', { publisher: { callback_secret: publisher.callback_secret.replace('_', '_ ') } }],
    [
      'publisher.callback_secret',
      { publisher: { callback_secret: publisher.callback_secret.replace('cGxh', 'cG xh') } },
    ],
    ['publisher.callback_secret', { publisher: { callback_secret: publisher.callback_secret.replace(/=+$/, '') } }],
    ['publisher.callback_secret', { publisher: { callback_secret: '' } }],
    ['advertisers.0.api_key', { advertisers: [{ ...advertiser, api_key: publisher.api_key }] }],
    ['advertisers.0.postback_secret', { advertisers: [{ ...advertiser, postback_secret: '' }] }],
    ['advertisers.0.postback_secret', { advertisers: [{ ...advertiser, postback_secret: 'planted'.repeat(30) }] }],
  ])('that is malformed is refused at %s and not echoed: %j', async (field, body) => {
    const { admin } = await sharedSandbox()
    for (const response of [await admin('PATCH', '/demo', body), await admin('POST', '', body)]) {
      expect([response.status, fieldsOf(response)]).toEqual([400, [field]])
      expect(JSON.stringify(response.json)).not.toContain('planted')
    }
  })

  it('requires the admin token to choose; sending back an unchanged account does not', async () => {
    const { admin, as } = await sharedSandbox()
    const own = as((await admin('POST', '/demo/tokens', { role: 'write' })).json.token)
    for (const change of [
      { publisher: { api_key: publisher.api_key } },
      { publisher: { callback_secret: publisher.callback_secret } },
      { advertisers: [advertiser] },
    ])
      for (const call of [own('PATCH', '/demo', change), own('POST', '/demo/preview', change)])
        expect((await call).status).toBe(403)
    const { json: account } = await own('GET', '/demo')
    expect((await own('PATCH', '/demo', account)).status).toBe(200)
  })

  it.each([
    ['publisher.api_key', { publisher: { ...publisher, api_key: `sandbox_pub_team_${'1'.repeat(20)}` } }],
    ['advertisers.0.api_key', { advertisers: [{ ...advertiser, api_key: `sandbox_adv_team_${'1'.repeat(20)}` }] }],
    ['publisher.api_key', { publisher: { api_key: `sandbox_pub_demo_${planted}` } }],
    [
      'advertisers.1.api_key',
      {
        advertisers: [
          { ...advertiser, api_key: `sandbox_adv_new_${planted}` },
          { ...advertiser, advertiser_id: mine.replace('a', 'b'), api_key: `sandbox_adv_new_${planted}` },
        ],
      },
    ],
  ])('must be unique in the whole sandbox: %s', async (field, body) => {
    const { admin } = await sharedSandbox()
    await admin('PATCH', '/demo', { publisher: { api_key: `sandbox_pub_demo_${'2'.repeat(20)}` } })
    expect((await admin('POST', '', { name: 'team', publisher, advertisers: [advertiser] })).status).toBe(201)
    await admin('POST', '', { name: 'other' })
    for (const response of [await admin('PATCH', '/other', body), await admin('POST', '', { name: 'more', ...body })]) {
      expect([response.status, fieldsOf(response)]).toEqual([400, [field]])
      expect(JSON.stringify(response.json)).not.toContain('planted')
    }
    expect((await admin('GET', '/more')).status).toBe(404)
  })

  it('can change its secret part, and becomes available once its tenant has another one or is deleted', async () => {
    const { admin } = await sharedSandbox()
    await admin('POST', '', { name: 'team', publisher, advertisers: [advertiser] })
    const rotated = { publisher: { api_key: `sandbox_pub_team_${'3'.repeat(20)}` } }
    expect((await admin('PATCH', '/team', rotated)).json.publisher).toEqual(expect.objectContaining(rotated.publisher))
    await admin('PATCH', '/team', { publisher: { api_key: `sandbox_pub_next_${planted}` } })
    expect((await admin('POST', '', { name: 'second', publisher })).status).toBe(201)
    await admin('DELETE', '/team')
    expect((await admin('PATCH', '/second', { advertisers: [advertiser] })).status).toBe(200)
  })
})
