import { inspect } from 'node:util'
import { createAdvertiser, PostbackUrl } from '@lead-distribution/advertiser-sdk'
import { BadRequestError, ConfigError, createPublisher, ValidationError } from '@lead-distribution/publisher-sdk'
import { describe, expect, it } from 'vitest'
import { callNames, calls, clientOf, errorOf } from './calls.fixture.ts'
import { injected, lead, lead_id, leaks } from './injected.fixture.ts'
import { head, resets, writes } from './steps.fixture.ts'
import { type Reached, type Step, startWireServer } from './wire-server.fixture.ts'

const nowhere = 'http://127.0.0.1:9/api/v1'

/** A worst-case server that repeats the request everywhere in its response. */
const echoes =
  (status: number, value: string, body: (value: string) => unknown): Step =>
  (socket, request) => {
    const text = status === 204 ? '' : JSON.stringify(body(value))
    const said = {
      'content-type': `application/json; of=${value}`,
      'content-length': String(text.length),
      date: value,
      'retry-after': value,
      server: `${value}/1.0`,
      via: `1.1 ${value.toUpperCase()}`,
      'x-request-id': `req-${value}-1`,
      'cf-ray': value,
      allow: value,
      location: `/?of=${value}`,
      'set-cookie': `of=${value}`,
    }
    writes(head(status, said, value), text)(socket, request)
  }

const code = (value: string) => `of_${value.toLowerCase().replace(/\W/g, '_')}`
const errorBody = (value: string) => ({
  error: code(value),
  message: value,
  details: [
    { field: value, issue: value },
    { field: `customer.${value}`, issue: `${value} is wrong` },
    { field: 'customer.contact.email.address', issue: value },
  ],
})

/** The injected values that a call sent. */
const sentIn = ({ target, headers, body }: Reached) =>
  Object.values(injected).filter(value => `${target} ${headers.apikey} ${body}`.includes(value))

describe.each(callNames)('%s', name => {
  const { make, fine } = calls[name]

  it.each([200, 204, 302, 400, 422, 429, 503])(
    'reveals nothing that it sent if a server repeats it in each part of a %i',
    async status => {
      const probe = await startWireServer(resets)
      await errorOf(make({ client: clientOf(probe.baseUrl).client }))
      const values = sentIn(probe.reached[0] as Reached)
      expect(values.length).toBeGreaterThan({ submit: 10, reportStatus: 0, fire: 1 }[name])
      for (const value of values) {
        const server = await startWireServer(echoes(status, value, status === 200 ? () => fine : errorBody))
        // A number is half a minute's `Retry-After`.
        const { client, events } = clientOf(server.baseUrl, { maxRetries: status === 429 ? 0 : 1 })
        const met = await make({ client }).then(
          result => (result.outcome === 'unknown' ? result : { outcome: result.outcome, meta: result.meta }),
          error => error,
        )
        expect([value, ...leaks(met), ...leaks(events)]).toEqual([value])
      }
    },
  )

  it("keeps a server's information about itself", async () => {
    const said = { date: 'Sat, 31 Jan 2026 09:30:00 GMT', server: 'nginx/1.25.3', 'x-request-id': 'b1a6d9f0-7e42-4d6b' }
    const body = { error: 'some_code', message: 'm', details: [{ field: 'status', issue: 'is wrong' }] }
    const length = { 'content-length': String(JSON.stringify(body).length) }
    const server = await startWireServer(writes(head(400, { ...said, ...length }), JSON.stringify(body)))
    const error = await errorOf(make({ client: clientOf(server.baseUrl).client }))
    expect(error).toMatchObject({ error: 'some_code', meta: { headers: said } })
    expect(error.message).toContain('Correct status')
  })
})

it("exposes an error's details only to code that reads them by name", async () => {
  const server = await startWireServer(echoes(400, injected.email, errorBody))
  const error = await errorOf(calls.submit.make({ client: clientOf(server.baseUrl).client }))
  if (!BadRequestError.is(error)) return expect.unreachable()
  expect(error.details[0]).toEqual({ field: injected.email, issue: injected.email })
  expect(error.message).toContain('Correct customer.contact.email.address; see `details`')
  expect({ ...error }).not.toHaveProperty('details')
  expect(leaks(error)).toEqual([])
})

describe('before anything is sent', () => {
  const publisher = createPublisher({ baseUrl: nowhere, apiKey: injected.key })
  const advertiser = createAdvertiser({ baseUrl: nowhere, apiKey: injected.key })

  it('a lead with errors everywhere reveals none of its values', async () => {
    // Each value has a wrong type that contains the right one, and each object has an extra field.
    const spoilt = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? {
            ...Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, spoilt(inner)])),
            [injected.email]: 1,
          }
        : Array.isArray(value)
          ? value.map(spoilt)
          : [value]
    for (const wrong of [spoilt(lead), { [injected.email]: injected.email }, injected.email, [injected.email]]) {
      const error = await errorOf(publisher.submit(wrong as never))
      expect(error).toBeInstanceOf(ValidationError)
      expect(leaks(error)).toEqual([])
    }
  })

  it('an invalid report and postback reveal none of their values', async () => {
    const url = PostbackUrl.parse(`${nowhere}/lead/${lead_id}/status?token=${injected.token}`, { baseUrl: nowhere })
    const wrong = [
      advertiser.reportStatus(injected.email, { status: injected.email, advertiser_id: injected.email } as never),
      advertiser.fire(url, { event: injected.email } as never),
      advertiser.fire(url, { event: 'approved', ref: injected.email.repeat(20) }),
      createAdvertiser({ baseUrl: 'http://127.0.0.1:8' }).fire(url, { event: 'approved' }),
    ]
    for (const call of wrong) expect(leaks(await errorOf(call))).toEqual([])
  })

  it.each([
    { apiKey: `${injected.key}\n` },
    { apiKey: () => Promise.reject(new Error(injected.key)) },
    { baseUrl: `https://${injected.token}@acme.example.com` },
    { baseUrl: `https://acme.example.com?${injected.key}` },
    { baseUrl: 'https://acme.example.com' },
    { environment: injected.key },
    { signal: injected.key },
  ])('an invalid configuration (%#) reveals none of its values', async options => {
    const submit = async () => {
      const made = createPublisher({ baseUrl: nowhere, apiKey: injected.key, ...options } as never)
      return await made.submit(lead, options as never)
    }
    const error = await errorOf(submit())
    expect(error).toBeInstanceOf(ConfigError)
    expect(leaks(error)).toEqual([])
  })

  it('the clients and a postback URL reveal none of their values', () => {
    const url = advertiser.parsePostbackUrl(`${nowhere}/lead/${lead_id}/status?token=${injected.token}`)
    for (const value of [publisher, advertiser, url]) {
      const shown = inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, customInspect: false })
      expect(shown).not.toContain('lanted')
      expect(`${JSON.stringify(value)}${String(value)}`).not.toContain('lanted')
    }
  })
})
