import { keyHeader, leadToken, type TokenFormat, type TokenSubject } from '@lead-distribution/contract'
import { type ConformanceCase, needing, Unclear } from '../../conformance-case.ts'
import { expectCode, expectEvent, expectRefusal, expectSame } from '../../expectations.ts'
import { firePixel, knownInterpretation } from '../../report-status.ts'
import type { Target, TargetResponse } from '../../target.ts'
import { leadsOf } from '../lead/rejections.ts'

interface Making {
  readonly subject: TokenSubject
  readonly format: TokenFormat
}

/** Tokens that the pixel of a lead must refuse; undefined means no token. */
const wrong: Readonly<Record<string, (making: Making) => Promise<string | undefined>>> = {
  'no token': async () => undefined,
  'an empty token': async () => '',
  'a token that was never issued': async ({ subject, format }) =>
    (await leadToken(subject, format)).replaceAll(/\w/g, '0'),
  'a token that is cut short': async ({ subject, format }) => (await leadToken(subject, format)).slice(0, -1),
  'a token with more behind it': async ({ subject, format }) => `${await leadToken(subject, format)}0`,
  'a token by another secret': ({ subject, format }) =>
    leadToken({ ...subject, postback_secret: `${subject.postback_secret}x` }, format),
  'a token over another lead': ({ subject, format }) => leadToken({ ...subject, lead_id: crypto.randomUUID() }, format),
  'a token over an advertiser that is not there': ({ subject, format }) =>
    leadToken({ ...subject, advertiser_id: crypto.randomUUID() }, format),
  'the secret instead of a token': async ({ subject }) => subject.postback_secret,
}

async function makingOf(target: Target, lead_id: string): Promise<Making> {
  const format = await knownInterpretation(target, 'token_format')
  const { advertiser_id = '', postback_secret = '' } = target.facts.advertisers[0] ?? {}
  return { subject: { lead_id, advertiser_id, postback_secret }, format }
}

function fire(
  target: Target,
  lead_id: string,
  token: string | undefined,
  more = '&event=approved',
): Promise<TargetResponse> {
  const query = token === undefined ? more.slice(1) : `token=${encodeURIComponent(token)}${more}`
  return target.call('GET', `/lead/${lead_id}/status?${query}`)
}

/** The token of the pixel (Spec 4.3 rule 1, 5; point 11). */
export const tokenCases = needing(
  ['advertiser', 'postback_secret'],
  [
    {
      id: '5/needs-no-key-beside-the-token',
      title: "accepts the HMAC of lead and advertiser with the advertiser's secret as the token, without a key",
      statements: ['5/rule-1', '5/rule-2', '4/apikey', '4.3/token', 'open/token_format'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const { subject, format } = await makingOf(target, lead_id)
        const response = await fire(target, lead_id, await leadToken(subject, format))
        expectEvent(response, lead_id, 'approved', 'received')
      },
    },
    ...Object.entries(wrong).map(
      ([name, make]): ConformanceCase => ({
        id: `4.3/refuses-${name.replaceAll(' ', '-')}`,
        title: `returns 401 for ${name}, and records nothing`,
        statements: ['4.3/rule-1', '4.3/token', '5/rule-3', '7/401'],
        async run(target) {
          const lead_id = await target.distributedLead()
          expectRefusal(await fire(target, lead_id, await make(await makingOf(target, lead_id))), 401)
          expectEvent(await firePixel(target, lead_id, 'approved'), lead_id, 'approved', 'received')
        },
      }),
    ),
    {
      id: '4.3/refuses-the-token-of-another-lead',
      title: 'refuses the token of another lead with 401',
      statements: ['4.3/token', '4.3/rule-1', '5/rule-1'],
      async run(target) {
        const [lead_id, other] = [await target.distributedLead(), await target.distributedLead()]
        const { subject, format } = await makingOf(target, other)
        const token = await leadToken(subject, format)
        expectRefusal(await fire(target, lead_id, token), 401)
        expectEvent(await fire(target, other, token), other, 'approved', 'received')
      },
    },
    {
      id: '4.3/takes-no-key-for-a-token',
      title: "refuses an advertiser's key in place of the token with 401",
      statements: ['4.3/rule-1', '5/where'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const key = target.facts.advertisers[0]?.api_key ?? ''
        expectRefusal(await target.call('GET', `/lead/${lead_id}/status?event=approved`, { key }), 401)
        expectRefusal(await fire(target, lead_id, undefined, `&event=approved&${keyHeader}=${key}`), 401)
      },
    },
    {
      id: 'open/refuses-a-key-in-the-query-beside-the-token',
      title: 'refuses a pixel with a key in the query besides the token',
      statements: ['5/where', 'open/error.unauthorized'],
      async run(target) {
        const key = encodeURIComponent(target.facts.advertisers[0]?.api_key ?? '')
        const response = await firePixel(target, await target.distributedLead(), 'approved', `&${keyHeader}=${key}`)
        expectCode(response, 'unauthorized')
      },
    },
    {
      id: 'open/hides-leads-of-no-advertiser-from-the-pixel',
      title: 'refuses the pixel of a lead that no advertiser has with 401, even if the token is right',
      statements: ['4.3/rule-1', '4.3/token', 'open/error.unauthorized'],
      needs: ['account'],
      async run(target) {
        const { json } = await target.submit(leadsOf(target, 'new')[0])
        if (json?.status !== 'new')
          throw new Unclear('The lead that no advertiser should accept by their criteria is not new.')
        expectCode(await firePixel(target, json.lead_id, 'approved'), 'unauthorized')
      },
    },
    {
      id: 'open/compares-the-letter-case-of-a-token',
      title: 'refuses a token in different letter case',
      statements: ['4.3/token', '4.3/rule-1'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const { subject, format } = await makingOf(target, lead_id)
        const token = await leadToken(subject, format)
        const other = [token.toUpperCase(), token.toLowerCase()].find(each => each !== token)
        if (other === undefined) throw new Unclear('The token has no letters.')
        expectRefusal(await fire(target, lead_id, other), 401)
      },
    },
    {
      id: 'open/says-one-401-for-every-token',
      title:
        'refuses every wrong token, an unknown lead and an id that is not a UUID with the same 401, before any other check',
      statements: ['open/error.unauthorized', '4.3/rule-1'],
      async run(target) {
        const lead_id = await target.distributedLead()
        const making = await makingOf(target, lead_id)
        const token = await leadToken(making.subject, making.format)
        const unknown = crypto.randomUUID()
        const itsToken = await leadToken({ ...making.subject, lead_id: unknown }, making.format)
        const responses = [await fire(target, unknown, itsToken), await fire(target, 'lead-1', token)]
        for (const make of Object.values(wrong)) responses.push(await fire(target, lead_id, await make(making)))
        for (const other of [token.toUpperCase(), token.toLowerCase()].filter(each => each !== token))
          responses.push(await fire(target, lead_id, other))
        responses.push(await fire(target, lead_id, undefined, '&ref=AB-1'))
        for (const more of ['', '&event=nonsense', '&token=wrong&event=a&event=b', `&ref=${'r'.repeat(300)}`])
          responses.push(await fire(target, lead_id, 'wrong', more))
        for (const response of responses) {
          expectCode(response, 'unauthorized')
          expectSame('the response', response.text, responses[0]?.text)
        }
      },
    },
  ],
)
