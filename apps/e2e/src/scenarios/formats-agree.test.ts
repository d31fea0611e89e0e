import { createTracking, validateLead } from '@lead-distribution/publisher-sdk'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/adapter.ts'
import { adapters } from '../adapters/every-adapter.ts'
import { createTenant, type Tenant } from '../adapters/tenant.ts'

const repeated = (text: string, count: number) => Array.from({ length: count }, () => text).join('')

interface Known {
  readonly taken: readonly string[]
  readonly refused: readonly string[]
}

/** Texts from format test suites on which services differ. */
const known: Readonly<Record<string, Known>> = {
  'customer.contact.email.address': {
    taken: [
      ...[63, 64].flatMap(length => [`${repeated('l', length)}@example.com`, `a@${repeated('d', length - 1)}.example`]),
      ...['ana+tag@example.com', 'ANA@EXAMPLE.COM', 'ana@xn--espaa-rta.es', `a@${repeated('d.', 125)}es`],
    ],
    refused: [
      ...[`${repeated('l', 65)}@example.com`, `a@${repeated('d', 64)}.example`, `ab@${repeated('d.', 125)}es`],
      ...[`${repeated('l', 20_000)}@example.com`, `a@${repeated('d.', 10_000)}es`, `a@x.${repeated('d', 64)}`],
      ...[
        '"ana"@example.com',
        'ana@[192.0.2.1]',
        'ana@españa.es',
        'añá@example.com',
        'ana@localhost',
        'ana@example.com.',
      ],
    ],
  },
  'tracking.source': {
    taken: [
      ...['https://[::1]/', 'urn:isbn:1', 'https://example.com/%C3%A9', 'HTTPS://EXAMPLE.COM', 'android-app://a.b'],
      ...['https://xn--espaa-rta.example/?q=%5B%5D#a/?', 'http://a.example:8080//b;c'],
    ],
    refused: [
      ...['https://example.com/préstamos', 'https://example.com/%zz', 'https://example.com/[a]', 'https://[::1'],
      ...[
        'https://example.com/\u202e',
        'https://example.com/\u200b',
        'https://españa.example/',
        'https://example.com/#a#b',
      ],
      ...[
        'http:',
        'https://example.com/a|b',
        '//example.com',
        '/loans',
        'https://example.com/%',
        'https://example.com/?a[]=1',
      ],
    ],
  },
  'customer.contact.email.verified_at': {
    taken: [
      ...['2016-12-31T23:59:60Z', '2016-12-31T23:59:60.999z', '2017-01-01T05:29:60+05:30', '2016-12-31T15:59:60-08:00'],
      ...['2026-01-31t09:30:00z', '2026-01-31T09:30:00-00:00', '2026-01-31T09:30:00.123456789Z'],
    ],
    refused: [
      ...['2026-05-17T12:34:60Z', '2016-12-31T23:59:61Z', '2016-12-31T23:59:60+01:00', '2016-12-31T22:59:60Z'],
      ...['2026-01-31T24:00:00Z', '2026-01-31T09:30:00.Z', '2026-01-31T09:30:00+24:00', '2026-01-31T09:30:00+0100'],
    ],
  },
  'customer.personal_data.birthday': {
    taken: ['2000-02-29', '1990-12-31'],
    refused: ['1900-02-29', '2024-02-30', '１９９０-01-01', '1990-1-1', '19900101'],
  },
  'consents.metadata': {
    taken: ['203.0.113.7', '0.0.0.0'],
    refused: ['203.0.113.07', '1.2.3', '::1', '203.0.113.٧', '0x7f.0.0.1', '203.0.113.7/32'],
  },
  product_id: {
    taken: ['AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    refused: [
      '{aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee}',
      'aaaaaaaabbbb4ccc8dddeeeeeeeeeeee',
      'gaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    ],
  },
}

const odd = [...'@.-:/%#?[]+ZTz0 "é', '\u202e', '\u200b', '\n', '%zz', '%41', '..', ':60', '٣', '\ud83c\udfe0']
const right: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'customer.contact.email.address': fc.emailAddress(),
  'tracking.source': fc.webUrl({ withQueryParameters: true, withFragments: true }),
  'customer.contact.email.verified_at': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
    .map(day => day.toISOString()),
  'customer.personal_data.birthday': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2007-01-01') })
    .map(day => day.toISOString().slice(0, 10)),
  'consents.metadata': fc.ipV4(),
  product_id: fc.uuid(),
}

/** A text in a format, and texts that differ from it in one place. */
const near = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.nat(), fc.constantFrom('', ...odd), fc.nat({ max: 2 })).map(([each, place, more, gone]) => {
    const at = place % (each.length + 1)
    return more === '' ? each : each.slice(0, at) + more + each.slice(at + gone)
  })

const metadataOf = (ip_address: string) => ({ ip_address, collected_at: '2026-01-31T09:30:00Z' })
const changesOf = (path: string, text: string) => ({ [path]: path === 'consents.metadata' ? metadataOf(text) : text })

// The memory adapter compares each exchange with the OpenAPI document, using a third-party validator.
describe('server, SDK, msw, document and storages agree', () => {
  const open: Adapter[] = []
  let tenants: Tenant[]

  beforeAll(async () => {
    for (const name of ['memory', 'express + SQLite', 'msw'] as const) open.push(await adapters[name]())
    tenants = await Promise.all(open.map(adapter => createTenant(adapter, { name: 'formats', seed: 1 })))
  })
  afterAll(async () => {
    for (const adapter of open) await adapter.close()
  })

  /** Returns true if the text is accepted. */
  async function agreement(path: string, text: string): Promise<boolean> {
    const body = tenants[0]?.body(changesOf(path, text))
    const replies = await Promise.all(tenants.map(tenant => tenant.submitBody(body)))
    const { valid, issues = [] } = validateLead(body)
    const [first] = replies
    for (const { status, json } of replies) {
      expect([text, status === 400, json.details ?? []]).toEqual([text, !valid, issues])
      expect([text, status, json.rejection_reason]).toEqual([text, first?.status, first?.json.rejection_reason])
    }
    if (!first?.json.lead_id) return valid
    const shown = await Promise.all(tenants.map((tenant, index) => tenant.lead(replies[index]?.json.lead_id)))
    for (const { submission } of shown) expect(submission).toEqual(shown[0].submission)
    return valid
  }

  describe.each(Object.keys(known))('on %s', path => {
    it('on every text in the suites', async () => {
      const { taken = [], refused = [] } = known[path] ?? {}
      for (const text of taken) expect([text, await agreement(path, text)]).toEqual([text, true])
      for (const text of refused) expect([text, await agreement(path, text)]).toEqual([text, false])
    })

    it('on any near miss', async () => {
      const text = near(right[path] as fc.Arbitrary<string>)
      await fc.assert(
        fc.asyncProperty(text, async each => void (await agreement(path, each))),
        { numRuns: 80 },
      )
    })
  })

  it('on the source that createTracking derives from any URL', async () => {
    const text = fc.oneof(near(fc.webUrl()), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
    const url = fc.tuple(fc.constantFrom('', 'https://', 'https://publisher.example/', 'http:'), text)
    await fc.assert(
      fc.property(url, ([start, rest]) => {
        const tracking = createTracking({ url: `${start}${rest}` })
        expect(validateLead({ ...tenants[0]?.body(), tracking })).toMatchObject({ valid: true })
      }),
      { numRuns: 1_000 },
    )
  })
})
