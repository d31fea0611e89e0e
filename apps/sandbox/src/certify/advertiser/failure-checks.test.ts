import { leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { advertiserChecker, fire, insist, type TestAdvertiser } from './advertiser.fixture.ts'

const { finds, account } = advertiserChecker()
const once: TestAdvertiser = ({ postback_url }, event) => fire(`${postback_url}&event=${event}`)
const again: TestAdvertiser = ({ postback_url }, event) => insist(`${postback_url}&event=${event}`)
const ways = { postback: 'postback', report: 'report' }

/** An application that makes this JSON call. */
function byJson(init: (event: string) => RequestInit): TestAdvertiser {
  return ({ status_url }, event) => {
    const { method = 'POST', headers, ...rest } = init(event)
    const apikey = account().advertisers[0]?.api_key ?? ''
    return fire(status_url, { method, headers: { apikey, 'content-type': 'application/json', ...headers }, ...rest })
  }
}

describe('a report that does not come through', () => {
  it.each(['500', '503', 'reset', 'lost_reply'])('is sent again by a good application: retry.%s', async name => {
    expect(await finds(`retry.${name}`, again)).toMatch(/^passed: The report succeeded at attempt [23]\.$/)
  })

  it.each(['500', '503', 'reset', 'lost_reply'])('is lost where it is sent once: retry.%s', async name => {
    expect(await finds(`retry.${name}`, once)).toMatch(/^failed: The report did not succeed within .*, in 1 attempt\.$/)
  })

  it('is lost where a time-out is missing', async () => {
    expect(await finds('retry.no_reply', async (lead, event) => void once(lead, event, ''))).toMatch(
      /^failed: The report did not succeed/,
    )
    const timely: TestAdvertiser = async ({ postback_url }, event) => {
      const url = `${postback_url}&event=${event}`
      const reply = await fire(url, { signal: AbortSignal.timeout(50) })
      if (!reply) await fire(url)
    }
    expect(await finds('retry.no_reply', timely)).toBe('passed: The report succeeded at attempt 2.')
  })
})

describe('a repeat', () => {
  it('is reported where it is sent more than once', async () => {
    const thrice: TestAdvertiser = async (lead, event) => {
      for (let times = 0; times < 3; times++) await once(lead, event, '')
    }
    expect(await finds('repeat.harmless', thrice)).toBe('failed: The second report made 3 calls.')
    expect(await finds('repeat.harmless', once)).toMatch(/^passed: The service ignored/)
  })

  it('that was ignored is reported where it is sent again', async () => {
    const stubborn: TestAdvertiser = async ({ postback_url }, event) => {
      for (let times = 0; times < 4; times++) {
        const reply = await fire(`${postback_url}&event=${event}`)
        if ((await reply?.text())?.includes('received')) return
      }
    }
    expect(await finds('repeat.ignored', stubborn)).toBe('failed: The ignored event was sent again 3 times.')
    expect(await finds('repeat.ignored', once)).toMatch(/^passed/)
  })
})

describe('a refusal', () => {
  it.each(['refused.token', 'refused.lead'])('is not asked for again and again: %s', async id => {
    const stubborn: TestAdvertiser = async (lead, event) => {
      for (let times = 0; times < 6; times++) await once(lead, event, '')
    }
    expect(await finds(id, stubborn)).toBe('failed: The report was sent 6 times, and refused each time.')
    expect(await finds(id, once)).toMatch(/^passed: The report was sent 1 time,/)
  })

  it('of one lead does not hold up another one', async () => {
    let blocked = false
    const queue: TestAdvertiser = async (lead, event) => {
      if (!blocked) blocked = (await fire(`${lead.postback_url}&event=${event}`))?.status === 401
    }
    expect(await finds('refused.lead', queue)).toMatch(/^failed: .*another lead/)
  })

  it('may come before anything is sent', async () => {
    const careful: TestAdvertiser = async (lead, event) => {
      const { advertiser_id = '', postback_secret = '' } = account().advertisers[0] ?? {}
      const token = await leadToken({ lead_id: lead.lead_id, advertiser_id, postback_secret }, usualTokenFormat)
      if (lead.postback_url.endsWith(`?token=${token}`)) await once(lead, event, '')
    }
    expect(await finds('refused.lead', careful)).toMatch(/^passed: The application did not report the unknown lead/)
  })

  it('by a redirect does not get the key', async () => {
    const body = (event: string) => ({ body: JSON.stringify({ status: event }) })
    const following = byJson(event => ({ ...body(event), redirect: 'follow' }))
    expect(await finds('refused.redirect', following, ways)).toMatch(/^failed: .*sent its API key there/)
    expect(await finds('refused.redirect', byJson(body), ways)).toBe('passed: The redirect was not followed.')
  })
})

describe('a JSON call', () => {
  const status = (event: string) => ({
    body: JSON.stringify({ status: event, metadata: { amount: 5000, term_months: 24 } }),
  })

  it('by only one method is reported', async () => {
    const byPatch = byJson(event => ({ ...status(event), method: 'PATCH' }))
    expect(await finds('json.post', byPatch, ways)).toBe(
      'failed: The service accepted only POST, and calls used PATCH.',
    )
    expect(await finds('json.patch', byPatch, ways)).toMatch(/^passed/)
    expect(await finds('json.patch', byJson(status), ways)).toMatch(/^failed/)
  })

  it.each<[string, string | object]>([
    ['metadata.amount must be a number', { status: 'approved', metadata: { amount: '5000' } }],
    ['metadata.term_months must be an integer', { status: 'approved', metadata: { term_months: 1.5 } }],
    ['status must be one of', { status: 'issued' }],
    ['status is required', {}],
    [
      'advertiser_id does not belong to the key',
      { status: 'approved', advertiser_id: '30000000-0000-4000-8000-000000000002' },
    ],
    ['The body was not a JSON object', 'status=approved'],
  ])('whose %s is reported', async (message, sent) => {
    const body = typeof sent === 'string' ? sent : JSON.stringify(sent)
    expect(
      await finds(
        'json.body',
        byJson(() => ({ body })),
        ways,
      ),
    ).toContain(`failed: ${message}`)
  })

  it('without a mistake passes', async () => {
    expect(await finds('json.body', byJson(status), ways)).toMatch(/^passed/)
    const plain = byJson(event => ({ ...status(event), headers: { 'content-type': 'text/plain' } }))
    expect(await finds('json.body', plain, ways)).toContain('The content-type was not')
  })
})
