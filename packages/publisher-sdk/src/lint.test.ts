import { describe, expect, it } from 'vitest'
import { createConsents } from './lead/create-consents.ts'
import { createTracking } from './lead/create-tracking.ts'
import { lintConsents, lintLead, lintTracking } from './lint.ts'
import { sampleLead } from './submit/leads.fixture.ts'

it('reports on the consents and on the tracking data of a lead', () => {
  const lead = { ...sampleLead(), tracking: { source: '/loans' } }
  expect(lintLead(lead).map(({ field, code }) => `${field} ${code}`)).toEqual([
    'consents.entries.0.document_url document_url_missing',
    'consents.entries.1.document_url document_url_missing',
    'consents.metadata metadata_missing',
    'tracking.source source_not_absolute',
  ])
  expect(lintLead(lead, { now: new Date('2025-01-01') }).map(({ code }) => code)).toContain('time_in_future')
})

it('finds a field that the service would ignore, because its name is misspelt or its place is another one', () => {
  const lead = sampleLead()
  const { personal_data } = lead.customer
  const customer = { ...lead.customer, personal_data: { ...personal_data, nationality: 'ES' }, monthly_income: 900 }
  const found = lintLead({ ...lead, customer } as never).filter(({ code }) => code === 'near_miss')
  expect(found.map(({ field, advice }) => [field, advice])).toEqual([
    [
      'customer.personal_data.nationality',
      '`customer.personal_data.nationality` is unknown, did you mean `nacionality`?',
    ],
    [
      'customer.monthly_income',
      '`customer.monthly_income` is unknown here, did you mean `customer.profile.monthly_income`?',
    ],
  ])
})

it.each([undefined, null, 7, {}, { consents: null, tracking: [] }])('does not throw on odd input: %#', lead => {
  const codes = lintLead(lead as never).map(({ code }) => code)
  expect(codes.filter(code => code !== 'near_miss')).toEqual(['consent_missing', 'metadata_missing'])
})

const found = (tracking: unknown) => lintTracking(tracking as never).map(({ field, code }) => [field, code])

it('has nothing to say about what the builder makes of a URL', () => {
  const url = 'https://medium.example/@author/loans?gclid=a-b_c.d&utm_id=7&email=ana%40example.com#top'
  expect(lintTracking(createTracking({ url }))).toEqual([])
  expect(lintTracking(undefined)).toEqual([])
})

it.each([
  [{ sub_id: ' ' }, [['tracking.sub_id', 'tracking_empty']]],
  [{ click_id: 'Ana.Garcia+x@example.com' }, [['tracking.click_id', 'tracking_personal_data']]],
  [{ campaign_id: 'for ana%40example.com' }, [['tracking.campaign_id', 'tracking_personal_data']]],
  [{ source: 'publisher.example' }, [['tracking.source', 'source_not_absolute']]],
  [{ source: 'app://publisher.example' }, [['tracking.source', 'source_not_absolute']]],
  [{ source: 'https://publisher.example/?a=1' }, [['tracking.source', 'source_with_query']]],
  [{ source: 'https://publisher.example/#a' }, [['tracking.source', 'source_with_query']]],
  [{ source: 'http://publisher.example/loans', click_id: '@home' }, []],
])('of %o it says %o', (tracking, expected) => expect(found(tracking)).toEqual(expected))

it.each([null, 7, 'text', [null], { source: 7 }, { click_id: Symbol('x') }])('does not throw on odd input: %#', odd => {
  expect(found(odd)).toEqual([])
})

it('repeats no value', () => {
  expect(JSON.stringify(lintTracking({ source: 'hunter2@example.com' }))).not.toContain('hunter2')
})

describe('consents', () => {
  const collected = '2026-01-31T09:30:00Z'
  const now = new Date('2026-01-31T09:30:05Z')
  const shown = (version: string) => ({
    version,
    document_url: `https://publisher.example/legal/${version}`,
    accepted: true,
  })

  function made() {
    const entries = { terms: shown('t3'), privacy_policy: shown('p5') }
    return createConsents({ ip_address: '8.8.8.8', user_agent: 'browser', collected_at: collected, entries })
  }

  type Entry = ReturnType<typeof made>['entries'][number]
  const first = (changes: object) => ({ ...made(), entries: [{ ...made().entries[0], ...changes }, made().entries[1]] })
  const second = (changes: object) => ({
    ...made(),
    entries: [...made().entries, { ...made().entries[0], ...changes }],
  })
  const metadata = (changes: object) => ({ ...made(), metadata: { ...made().metadata, ...changes } })
  const found = (consents: unknown, at = now) =>
    lintConsents(consents as never, { now: at }).map(({ field, code }) => [field.replace('consents.', ''), code])

  it('has nothing to say about what the builder makes of a whole record', () => {
    expect(found(made())).toEqual([])
    expect(lintConsents(createConsents({ ...record(), collected_at: new Date() }))).toEqual([])
  })

  const record = () => ({
    ip_address: '8.8.8.8',
    user_agent: 'browser',
    entries: { terms: shown('t3'), privacy_policy: shown('p5') },
  })

  it.each<[string, object, [string, string][]]>([
    [
      'a required consent that is missing',
      { ...made(), entries: made().entries.slice(1) },
      [['entries', 'consent_missing']],
    ],
    ['no consents', { ...made(), entries: [] }, [['entries', 'consent_missing']]],
    [
      'a required consent that was not accepted',
      first({ accepted: false, accepted_at: null }),
      [['entries.0.accepted', 'consent_not_accepted']],
    ],
    [
      'a consent of ones own that was not accepted',
      second({ type: 'marketing', accepted: false, accepted_at: null }),
      [],
    ],
    ['a type that is there twice', second({}), [['entries.2.type', 'consent_repeated']]],
    ['no time of acceptance', first({ accepted_at: null }), [['entries.0.accepted_at', 'accepted_at_missing']]],
    [
      'a time of no acceptance',
      second({ type: 'marketing', accepted: false }),
      [['entries.2.accepted_at', 'accepted_at_unexpected']],
    ],
    ['no version', first({ version: ' ' }), [['entries.0.version', 'version_missing']]],
    ['no document', first({ document_url: null }), [['entries.0.document_url', 'document_url_missing']]],
    [
      'a path instead of a URL',
      first({ document_url: '/terms/3' }),
      [['entries.0.document_url', 'document_url_not_https']],
    ],
    [
      'a document by http',
      first({ document_url: 'http://publisher.example/t3' }),
      [['entries.0.document_url', 'document_url_not_https']],
    ],
    [
      'one URL of two versions',
      second({ type: 'own', version: 't4' }),
      [['entries.2.document_url', 'document_url_shared']],
    ],
    ['one URL of one version', second({ type: 'own' }), []],
    ['no metadata', { entries: made().entries }, [['metadata', 'metadata_missing']]],
    ['no user agent', metadata({ user_agent: '' }), [['metadata.user_agent', 'user_agent_missing']]],
  ])('reports %s', (_name, consents, expected) => expect(found(consents)).toEqual(expected))

  describe('a time', () => {
    const acceptedAt = (accepted_at: string) => found(first({ accepted_at })).map(([, code]) => code)

    it('is odd after the collection, and more than a day before it', () => {
      expect(acceptedAt('2026-01-31T09:30:00.001Z')).toEqual(['accepted_after_collected'])
      expect(acceptedAt('2026-01-31T10:30:00+01:00')).toEqual([])
      expect(acceptedAt('2026-01-30T09:30:00Z')).toEqual([])
      expect(acceptedAt('2026-01-30T09:29:59.999Z')).toEqual(['accepted_long_before_collected'])
    })

    it('is odd in the future, except for the skew of two clocks', () => {
      const codes = (at: string) => found(made(), new Date(at))
      expect(codes('2026-01-31T09:29:00Z')).toEqual([])
      expect(codes('2026-01-31T09:28:59.999Z')).toEqual([
        ['entries.0.accepted_at', 'time_in_future'],
        ['entries.1.accepted_at', 'time_in_future'],
        ['metadata.collected_at', 'time_in_future'],
      ])
    })

    it('that cannot be read is compared with nothing', () => expect(acceptedAt('yesterday')).toEqual([]))
  })

  describe('an address', () => {
    const code = (ip_address: unknown) => found(metadata({ ip_address })).map(([field, code]) => `${field} ${code}`)

    it.each([
      ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1'],
      ...['169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255', '192.0.0.8', '192.168.0.0'],
      ...['192.168.255.255', '198.18.0.0', '198.19.255.255', '224.0.0.0', '255.255.255.255'],
    ])('%s is no customer’s', ip => expect(code(ip)).toEqual(['metadata.ip_address ip_address_not_public']))

    it.each([
      ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
      ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
      ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.113.7', '223.255.255.255'],
    ])('%s may be a customer’s', ip => expect(code(ip)).toEqual([]))
  })

  it('repeats no value, and says what to do in a sentence', () => {
    const consents = { entries: [{ type: 'hunter2', version: '', accepted_at: 'hunter2', document_url: 'hunter2' }] }
    const advice = lintConsents(consents as never)
    expect(JSON.stringify(advice)).not.toContain('hunter2')
    for (const each of advice) expect(each.advice).toMatch(/^[A-Z].*\.$/)
  })

  it.each([
    ...[undefined, null, 7, 'text', [], {}, { entries: {} }, { entries: [null, 7, []], metadata: 'x' }],
    { entries: [Object.create(null) as Entry], metadata: [] },
    { entries: [{ type: Symbol('x'), version: {}, accepted_at: Object.create(null), document_url: 1n }] },
  ])('does not throw on odd input: %#', consents => {
    expect(lintConsents(consents as never).length).toBeGreaterThan(0)
  })
})
