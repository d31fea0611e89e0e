import {
  type Finding,
  type InterpretationOf,
  openPoints,
  type Point,
  type Target,
} from '@lead-distribution/conformance'
import { type CallbackListener, openCallbackListener } from '@lead-distribution/conformance/callback-listener'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { targetThrough } from '../adapters/conformance-target.ts'
import { openExpressAdapter } from '../adapters/express-adapter.ts'
import type { Tenant } from '../adapters/tenant.ts'

const patienceMs = 1500
/** What is found of a time that is longer; the machine may have looked longer than asked. */
const beyondPatience = expect.stringMatching(/^>= PT[\d.]+S$/)

let adapter: Adapter
let callbacks: CallbackListener
beforeAll(async () => {
  adapter = await openExpressAdapter()
  callbacks = await openCallbackListener({ patienceMs })
})
afterAll(async () => {
  await callbacks[Symbol.asyncDispose]()
  await adapter.close()
})

/** A tenant of these settings, of which the suite knows what its account says. */
const targetWith = (settings: object, profile = 'prose') =>
  targetThrough(adapter, { profile, settings, callback_url: callbacks.url }, { callbacks, patienceMs })

/** What each switch is set to, and what is found of it where that is something else. */
const rows: { [P in Point]?: readonly (readonly [set: unknown, found?: InterpretationOf[P] | undefined])[] } = {
  gender: [['optional'], ['required']],
  consent_metadata: [['optional'], ['required']],
  semantic_refusals: [['http_422'], ['rejected_200']],
  status_methods: [[['POST', 'PATCH']], [['POST']], [['PATCH']]],
  status_vocabulary: [['known'], ['any']],
  callback_event_names: [['usage'], ['enum'], ['as_reported']],
  absent_fields: [['omit'], ['null']],
  duplicate_window: [['PT0S'], ['PT1S'], ['PT60S', beyondPatience]],
  callback_retries: [[[], undefined], [['PT0.5S']], [['PT0.5S', 'PT0.5S']], [['PT5S'], undefined]],
  callback_timeout: [['PT0.5S'], ['PT1S'], ['PT10S', beyondPatience]],
  token_format: [
    [{ hash: 'SHA-256', joiner: ':', encoding: 'hex' }],
    [{ hash: 'SHA-256', joiner: '', encoding: 'base64url' }],
    [{ hash: 'SHA-512', joiner: '|', encoding: 'hex' }],
    [{ hash: 'SHA-512', joiner: '-', encoding: 'base64url' }],
    [{ hash: 'SHA-256', joiner: '.', encoding: 'hex' }],
    [{ hash: 'SHA-256', joiner: ' ñ ', encoding: 'hex' }, undefined],
  ],
  distribution: [['first_accept'], ['all_accepting']],
  callback_signature: [['none'], ['standard_webhooks']],
}
const cases = Object.entries(rows).flatMap(([point, values]) =>
  values.map(row => ({ point: point as Point, set: row[0], found: row.length > 1 ? row[1] : row[0] })),
)

/** Values that no finding may contain. */
function secretsOf({ account }: Tenant): string[] {
  const { publisher, advertisers } = account
  return [
    publisher.api_key,
    publisher.callback_secret,
    ...advertisers.flatMap(each => [each.api_key, each.postback_secret]),
  ]
}

/** Every finding on a target, as they are asked for at once. */
function findingsOf(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}

describe('what a switch is set to is found out', () => {
  // Spans of real time are measured anew where the machine was too busy to measure them.
  it.concurrent.each(cases)('for $point of $set', { retry: 5 }, async ({ point, set, found }) => {
    const { target } = await targetWith({ [point]: set })
    const { interpretation, known_by } = await target.finding(point)
    expect(interpretation, known_by).toEqual(found)
    expect(known_by).toMatch(/^[A-Z].*\.$/)
  })

  it('for every switch that a tenant has, and for every value that is a name', async () => {
    const { tenant } = await targetWith({})
    const { json } = await adapter.request('GET', '/_sandbox/openapi.json')
    const switches = Object.keys(tenant.account.settings).filter(name => name !== 'profile' && name !== 'lifecycle')
    expect(Object.keys(rows).sort()).toEqual(switches.sort())
    const enumerations = JSON.stringify(json).match(/"(?:enum)":\[("[a-z_0-9]+",?)+\]/g) ?? []
    for (const name of switches) {
      const set = cases.filter(({ point }) => point === name).map(each => each.set)
      if (set.every(value => typeof value === 'string' && !value.startsWith('PT')))
        expect(enumerations, name).toContain(`"enum":${JSON.stringify(set)}`)
    }
  })
})

describe.concurrent.each(['prose', 'formal'])('the profile %s is found out', profile => {
  it('switch by switch', async () => {
    const { target, tenant } = await targetWith({}, profile)
    const { profile: _, lifecycle: __, ...settings } = tenant.account.settings
    const findings = await findingsOf(target)
    expect(Object.fromEntries(findings.map(({ point, interpretation }) => [point, interpretation]))).toEqual({
      ...settings,
      duplicate_window: beyondPatience,
      callback_retries: undefined,
      callback_timeout: beyondPatience,
      other_advertiser: 'http_404',
      email_letter_case: 'ignored',
      pixel_head: 'records_nothing',
      body_limit: '262144',
    })
    const text = JSON.stringify(findings)
    for (const secret of secretsOf(tenant)) expect(text).not.toContain(secret)
  })
})
