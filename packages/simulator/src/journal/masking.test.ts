import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openTenantClient, type Shown } from '../control/tenant-client.fixture.ts'
import {
  keptQuery,
  maskedAnswer,
  maskedRequestBody,
  maskedRequestHeaders,
  maskedResponseBody,
  personalValues,
} from './masking.ts'

const none: ReadonlySet<string> = new Set()
const masked = (body: unknown, names = none) => JSON.parse(maskedRequestBody('submitLead', body, names)?.text ?? '')

/** A text too long to occur elsewhere by chance. */
const secret = fc.string({ minLength: 8, unit: 'grapheme' }).filter(text => text.trim().length >= 8)

describe('the body of a submission', () => {
  it('contains no personal value of any lead', async () => {
    const { leads } = await openTenantClient({ name: 'qa' })
    const person = fc.record({
      first_name: secret,
      last_name: secret,
      second_surname: secret,
      identification_number: secret,
      nacionality: secret,
      birthday: fc.date({ noInvalidDate: true }).map(date => date.toISOString().slice(0, 10)),
      email: fc.emailAddress(),
      phone: fc.integer({ min: 100_000_000 }).map(String),
      street: secret,
      iban: secret,
      click_id: secret,
      ip_address: fc.ipV4().filter(address => address.length > 8),
    })
    fc.assert(
      fc.property(person, ({ email, phone, street, iban, click_id, ip_address, ...personal_data }) => {
        const lead: Shown = leads.distributed()
        Object.assign(lead.customer.personal_data, personal_data)
        Object.assign(lead.customer.contact, { email: { address: email }, phone: { number: phone, [phone]: phone } })
        Object.assign(lead.customer, { address: { street }, financial_instruments: [{ iban, type: iban }] })
        Object.assign(lead, { tracking: { click_id, source: `https://example.com/${click_id}` }, [email]: 1 })
        lead.consents.metadata = { ip_address, collected_at: `${personal_data.birthday}` }
        // Even if a field has the wrong type.
        lead.product_data.loan_purpose = street
        lead.customer.profile = { monthly_income: Number(phone), occupation: email, children: [email] }
        const kept = JSON.stringify(masked(lead))
        const values = { ...personal_data, email, phone, street, iban, click_id, ip_address }
        for (const value of Object.values(values)) expect(kept).not.toContain(JSON.stringify(value).slice(1, -1))
        expect(personalValues(lead)).toEqual(expect.arrayContaining(Object.values(values)))
      }),
      { numRuns: 50 },
    )
  })

  it('keeps the fields that decide: product, loan, income, consents', async () => {
    const { leads } = await openTenantClient({ name: 'qa' })
    const lead: Shown = leads.incomeInsufficient()
    const { product_id, product_data, customer, consents } = masked(lead)
    expect(product_id).toBe(lead.product_id)
    expect(product_data).toEqual(lead.product_data)
    expect(customer.profile).toEqual(lead.customer.profile)
    expect(customer.contact.email.address).toBe('***')
    expect(customer.personal_data).toMatchObject({ first_name: '***', last_name: '***' })
    expect(consents.entries.map(({ type, accepted }: Shown) => ({ type, accepted }))).toEqual(
      lead.consents.entries.map(({ type, accepted }: Shown) => ({ type, accepted })),
    )
  })

  it('shows the name of an unknown field only if it resembles a known one', () => {
    const body = { customer: { personal_dat: { ana: 'x' } }, 'ana@example.com': true }
    expect(masked(body)).toEqual({
      customer: { '(unknown field)': { '(unknown field)': '***' } },
      '(unknown field)': true,
    })
    expect(masked(body, new Set(['customer.personal_dat']))).toMatchObject({ customer: { personal_dat: {} } })
  })

  it('is truncated if it is long or deep, and dropped if it is not JSON', () => {
    const entry = { type: 'terms', accepted: true, accepted_at: '2026-01-01T00:00:00Z', version: '1' }
    const long = { consents: { entries: Array.from({ length: 3_000 }, () => entry) } }
    const kept = maskedRequestBody('submitLead', long, none)
    expect([kept?.state, kept?.text.length]).toEqual(['truncated', 16_384])
    expect(maskedRequestBody('submitLead', undefined, none)).toEqual({ state: 'not_json', text: '' })
    expect(maskedRequestBody('reportEvent', undefined, none)).toBeUndefined()
    expect(masked(JSON.parse('{"__proto__":{"a":"x"},"customer":[[["x"]]]}'))).toBeTruthy()
    const deep = JSON.parse(`${'{"customer":['.repeat(5_000)}1${']}'.repeat(5_000)}`)
    expect(maskedRequestBody('submitLead', deep, none)?.text).toContain('***')
    expect([null, true, 7, 'x', []].map(each => masked(each))).toEqual([null, true, '***', '***', []])
  })
})

describe('other content of a call', () => {
  it('has harmless headers, and shows that there was a key', () => {
    const headers = {
      apikey: 'sandbox_pub_1',
      authorization: 'Bearer x',
      cookie: 'a=b',
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) ana@example.com',
      'x-request-id': 'ana',
      'x-ana': 'ana',
      accept: '*/*',
      'x-sandbox-scenario': 'ana',
    }
    expect(maskedRequestHeaders(headers)).toEqual({
      accept: '*/*',
      apikey: '***',
      authorization: '***',
      cookie: '***',
      'content-type': 'application/json; charset=utf-8',
      'user-agent': '***',
      'x-request-id': '***',
      'x-sandbox-scenario': '***',
    })
    const agent = { 'user-agent': 'curl/8.5.0', 'x-sandbox-scenario': 'http_500' }
    expect(maskedRequestHeaders(agent)).toEqual(agent)
  })

  it('has only the event of a pixel, and only known words of a status', () => {
    const query = new URLSearchParams({ token: 'secret', event: 'approved', ref: 'ana', ana: '1' })
    expect(keptQuery(query)).toBe('token=***&event=approved&ref=***')
    query.set('event', 'ana')
    expect(keptQuery(query)).toBe('token=***&event=***&ref=***')
    const status = (body: object) => JSON.parse(maskedRequestBody('reportStatus', body, none)?.text ?? '')
    const metadata = { amount: 5_000, term_months: 12 }
    expect(status({ status: 'approved', metadata, ana: 'x' })).toEqual({
      status: 'approved',
      metadata,
      '(unknown field)': '***',
    })
    expect(status({ status: 'ana' })).toEqual({ status: '***' })
    expect(maskedResponseBody({ lead_id: 'l', status: 'ana' }, undefined).text).toBe('{"lead_id":"l","status":"***"}')
    expect(maskedResponseBody({ status: 'ignored', event: 'approved' }, undefined).text).toContain('ignored')
  })
})

describe("a receiver's response", () => {
  it('contains no secrets, e-mail addresses, cookies or control characters', () => {
    const answer = {
      headers: {
        'set-cookie': 'sid=1',
        location: 'https://a.example/x?token=1',
        server: 'nginx\u001b[31m',
        via: 'whsec_1',
      },
      text: 'taken\u0000 for Ana <ana@example.com>\n\u001b[31mwhsec_1',
    }
    expect(maskedAnswer(answer, ['whsec_1', 'Ana'])).toEqual({
      headers: { 'set-cookie': '***', location: 'https://a.example/x?***', server: 'nginx[31m', via: '***' },
      text: 'taken for *** <***>\n[31m***',
    })
  })

  it('is truncated to its bounds', () => {
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`x-${nth}`, 'y'.repeat(500)]))
    const kept = maskedAnswer({ headers, text: 'x'.repeat(3_000) }, [])
    expect([Object.keys(kept.headers).length, kept.headers['x-0']?.length, kept.text.length, kept.truncated]).toEqual([
      30,
      200,
      2_048,
      true,
    ])
    expect(maskedAnswer({ headers: {}, text: `${'x'.repeat(2_046)}😀` }, [])).toEqual({
      headers: {},
      text: 'x'.repeat(2_046),
      truncated: true,
    })
  })
})
