import { checkLead, formalInterpretation } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { ConfigError, ValidationError } from '../index.ts'
import { sampleLead } from '../submit/leads.fixture.ts'
import { type ConsentRecord, createConsents } from './create-consents.ts'

const shown = (version: string) => ({
  version,
  document_url: `https://publisher.example/legal/${version}`,
  accepted: true,
})
const collected_at = '2026-01-31T10:30:00+01:00'

function record(changes: object = {}): ConsentRecord {
  const entries = { terms: shown('t3'), privacy_policy: shown('p5') }
  return { ip_address: '198.51.100.7', collected_at, entries, ...changes } as ConsentRecord
}

function issuesOf(changes: object) {
  try {
    createConsents(record(changes))
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError)
    return (error as ValidationError).issues
  }
  return []
}

it('creates consents that fit both interpretations of the specification', () => {
  const consents = createConsents(record({ user_agent: 'browser' }))
  expect(consents).toEqual({
    entries: [
      { type: 'terms', accepted_at: collected_at, ...shown('t3') },
      { type: 'privacy_policy', accepted_at: collected_at, ...shown('p5') },
    ],
    metadata: { ip_address: '198.51.100.7', user_agent: 'browser', collected_at },
  })
  const lead = { ...sampleLead(), consents }
  lead.customer.personal_data.gender = 'other'
  expect(checkLead(lead, formalInterpretation)).toEqual([])
})

it('formats dates, and uses the current time by default', () => {
  const accepted_at = new Date('2026-01-31T09:29:00Z')
  const entries = { terms: { ...shown('t3'), accepted_at }, privacy_policy: shown('p5') }
  const before = new Date().toISOString()
  const consents = createConsents({ ip_address: '198.51.100.7', entries })
  expect(consents.entries[0]?.accepted_at).toBe('2026-01-31T09:29:00.000Z')
  expect(consents.entries[1]?.accepted_at).toBe(consents.metadata.collected_at)
  expect(consents.metadata.collected_at >= before).toBe(true)
  expect(consents.metadata).not.toHaveProperty('user_agent')
})

it('sets `accepted_at` to null for a consent that was not accepted', () => {
  const entries = {
    terms: shown('t3'),
    privacy_policy: shown('p5'),
    marketing: { version: '1', document_url: null, accepted: false, accepted_at: collected_at },
    credit_bureau_check: shown('c1'),
  }
  const consents = createConsents({ ip_address: '198.51.100.7', entries })
  expect(consents.entries.slice(2)).toMatchObject([
    { type: 'marketing', accepted: false, accepted_at: null, document_url: null },
    { type: 'credit_bureau_check', accepted: true, accepted_at: consents.metadata.collected_at },
  ])
})

it('leaves out a consent that was not requested', () => {
  const entries = { terms: shown('t3'), privacy_policy: shown('p5'), marketing: undefined }
  const consents = createConsents({ ip_address: '198.51.100.7', entries })
  expect(consents.entries.map(({ type }) => type)).toEqual(['terms', 'privacy_policy'])
})

it('reads an IPv4 address in the form of a dual-stack socket', () => {
  for (const ip_address of ['::ffff:198.51.100.7', '::FFFF:198.51.100.7']) {
    expect(createConsents(record({ ip_address })).metadata.ip_address).toBe('198.51.100.7')
  }
})

describe('rejects, like the service,', () => {
  const both = { terms: shown('t3'), privacy_policy: shown('p5') }

  it.each([
    ['an IPv6 address', 'consents.metadata.ip_address', { ip_address: '2001:db8::7' }],
    ['an IPv6 address that only starts like IPv4', 'consents.metadata.ip_address', { ip_address: '::ffff:c633:6407' }],
    ['no address', 'consents.metadata.ip_address', { ip_address: undefined }],
    ['no version', 'consents.entries.0.version', { entries: { ...both, terms: { ...shown(''), version: '' } } }],
    ['a time without a zone', 'consents.metadata.collected_at', { collected_at: '2026-01-31T09:30:00' }],
    ['an invalid date', 'consents.metadata.collected_at', { collected_at: new Date(Number.NaN) }],
    ['a five-digit year', 'consents.metadata.collected_at', { collected_at: new Date('+010000-01-01T00:00:00Z') }],
    [
      'an invalid time of acceptance',
      'consents.entries.0.accepted_at',
      {
        entries: { ...both, terms: { ...shown('t3'), accepted_at: 'yesterday' } },
      },
    ],
    ['a required consent that is missing', 'consents.entries', { entries: { terms: shown('t3') } }],
    [
      'a required consent that was not accepted',
      'consents.entries',
      {
        entries: { ...both, terms: { ...shown('t3'), accepted: false } },
      },
    ],
    ['missing entries', 'consents.entries', { entries: undefined }],
  ])('%s', (_name, field, changes) => {
    expect(issuesOf(changes).map(issue => issue.field)).toContain(field)
  })

  it('all missing consents at once, naming them without repeating a value', () => {
    const issues = issuesOf({ ip_address: '2001:db8::7', entries: {} })
    expect(issues.map(issue => issue.issue).join()).toMatch(/an IPv4 address.*`terms`.*`privacy_policy`/)
    expect(JSON.stringify(issues)).not.toContain('2001:db8')
  })
})

describe('assumes no consent: rejects', () => {
  const { accepted: _, ...unanswered } = shown('1')
  const both = { terms: shown('t3'), privacy_policy: shown('p5') }

  it.each<[string, string, object]>([
    ['`terms` without `accepted`', 'terms', { ...both, terms: unanswered }],
    ['`privacy_policy` without `accepted`', 'privacy_policy', { ...both, privacy_policy: unanswered }],
    ['another consent without `accepted`', 'marketing', { ...both, marketing: unanswered }],
    ['a consent that is null', 'terms', { ...both, terms: null }],
    ...[undefined, null, 'on', 'true', 1].map((accepted): [string, string, object] => [
      `\`accepted\` that is ${accepted}`,
      'terms',
      { ...both, terms: { ...unanswered, accepted } },
    ]),
  ])('%s', (_name, type, entries) => {
    const create = () => createConsents({ ip_address: '198.51.100.7', entries: entries as never })
    expect(create).toThrow(ConfigError)
    expect(create).toThrow(`\`entries.${type}.accepted\` must be true or false`)
  })
})
