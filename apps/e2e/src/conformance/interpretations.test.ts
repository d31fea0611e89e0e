import {
  type Finding,
  type InterpretationOf,
  openPoints,
  type Point,
  type Target,
} from '@lead-distribution/conformance'
import { controlDocument } from '@lead-distribution/simulator/documents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targetThrough } from '../adapters/conformance-target.ts'
import type { Tenant } from '../adapters/tenant.ts'
import { openVirtualTime, type VirtualTime } from './virtual-time.fixture.ts'

const patienceMs = 1500
/** The finding for a longer time. */
const beyondPatience = '>= PT1.5S'

let sandbox: VirtualTime
beforeAll(async () => {
  sandbox = await openVirtualTime(patienceMs)
})
afterAll(() => sandbox[Symbol.asyncDispose]())

/** A tenant with these settings, known to the suite by its account. */
const targetWith = (settings: object, profile = 'prose') =>
  targetThrough(
    sandbox.adapter,
    { profile, settings, callback_url: sandbox.callbacks.url },
    { callbacks: sandbox.callbacks, patienceMs },
  )

/** Each switch's values, with the finding if it differs. */
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

/** All findings on a target, requested at once. */
function findingsOf(target: Target): Promise<Finding[]> {
  return Promise.all(Object.keys(openPoints).map(point => target.finding(point as Point)))
}

describe('the suite finds the value of a switch', () => {
  it.concurrent.each(cases)('for $point of $set', async ({ point, set, found }) => {
    const { target } = await targetWith({ [point]: set })
    const { interpretation, known_by } = await target.finding(point)
    expect(interpretation, known_by).toEqual(found)
    expect(known_by).toMatch(/^[A-Z].*\.$/)
  })

  it('for every switch of a tenant and every named value', async () => {
    const { tenant } = await targetWith({})
    const { profile: _, lifecycle: __, journal_bodies: ___, ...settings } = tenant.account.settings
    const switches = Object.keys(settings)
    expect(Object.keys(rows).sort()).toEqual(switches.sort())
    const enumerations = JSON.stringify(controlDocument([], {})).match(/"(?:enum)":\[("[a-z_0-9]+",?)+\]/g) ?? []
    for (const name of switches) {
      const set = cases.filter(({ point }) => point === name).map(each => each.set)
      if (set.every(value => typeof value === 'string' && !value.startsWith('PT')))
        expect(enumerations, name).toContain(`"enum":${JSON.stringify(set)}`)
    }
  })
})

describe.concurrent.each(['prose', 'formal'])('the suite finds the profile %s', profile => {
  it('switch by switch', async () => {
    const { target, tenant } = await targetWith({}, profile)
    const { profile: _, lifecycle: __, journal_bodies: ___, ...settings } = tenant.account.settings
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
