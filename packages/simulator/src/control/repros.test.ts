import { type LeadSubmission, type RejectionReason, rejectionReasons, rejections } from '@lead-distribution/contract'
import { scenarioWords } from '@lead-distribution/contract/test-leads'
import { describe, expect, it } from 'vitest'
import { type ReproFile, runRepro } from './repro-file.ts'
import { openTenantClient, type Shown } from './tenant-client.fixture.ts'

/** Personal values. None of them occurs by chance. */
const person = {
  first_name: 'Plantedfirst',
  last_name: 'Plantedlast',
  second_surname: 'Plantedsecond',
  identification_number: 'PLANTED99887766X',
  area_code: '+34912',
  number: '611777888',
  email: 'planted.email@planted.example',
  street: 'Plantedstreet',
  city: 'Plantedcity',
  iban: 'ES9121000418450200051332',
  ip_address: '203.0.113.77',
  text: 'planted text',
}

const contactDetails = { source: person.text, status: 'verified', verified_at: '2025-03-04T05:06:07Z' }

/** Adds all kinds of personal data to a lead, and keeps the fields that define its test lead. */
function withPerson(lead: LeadSubmission, email = person.email): LeadSubmission {
  const { customer, consents } = structuredClone(lead)
  const { personal_data, contact, address } = customer
  const { first_name, last_name, second_surname, identification_number, street, city, text, iban } = person
  return {
    ...lead,
    customer: {
      ...customer,
      external_id: text,
      personal_data: {
        birthday: '1980-03-04',
        identification_number,
        ...personal_data,
        first_name,
        last_name,
        second_surname,
        nacionality: text,
      },
      contact: {
        email: { ...contact.email, address: email, ...contactDetails } as never,
        phone: { area_code: person.area_code, number: person.number, ...contact.phone, ...contactDetails } as never,
      },
      address: { country: 'ES', ...address, street, city, postal_code: text, region: text },
      financial_instruments: [{ type: 'bank_account', iban }],
    },
    consents: {
      entries: [
        ...consents.entries,
        { type: text, accepted: true, accepted_at: '2025-03-04T05:06:07Z', version: text, document_url: text },
      ],
      metadata: {
        ip_address: person.ip_address,
        collected_at: '2025-03-04T05:06:07Z',
        ...consents.metadata,
        user_agent: text,
      } as never,
    },
    tracking: { click_id: text, sub_id: person.email, campaign_id: text, source: 'https://planted.example/x' },
  }
}

/** Including the lead's own values, which define its test lead. */
function personalIn(lead: LeadSubmission): string[] {
  const { personal_data, contact } = lead.customer
  const own = [
    personal_data.birthday,
    personal_data.identification_number,
    contact.email.address,
    contact.phone?.number,
    lead.consents.metadata?.ip_address,
  ]
  return [...Object.values(person), 'lanted', ...own.filter(value => value !== undefined)]
}

const bytesOf = (file: object) => new TextEncoder().encode(JSON.stringify(file))

/**
 * Returns the decision without input that names a person or a lead; a network may contain an address. Ignores hints,
 * because a dry run adds its own.
 */
const decision = (trace: Shown[]) =>
  trace.map(({ check, verdict, threshold }) => ({ check, verdict, ...(check !== 'fraud' && { threshold }) }))

async function expectRepro(file: ReproFile, original: { trace: Shown[] }, lead: LeadSubmission) {
  const text = JSON.stringify(file)
  for (const value of personalIn(lead)) expect(text.toLowerCase()).not.toContain(value.toLowerCase())
  expect(text).not.toMatch(/sandbox_|whsec_/)
  expect(decision(file.expected.trace).slice(0, original.trace.length)).toEqual(decision(original.trace))
  const run = await runRepro(bytesOf(file))
  expect(run).toEqual({ got: { ...file.expected, deliveries: expect.any(Array) } })
}

const checks = Object.keys(rejections) as (keyof typeof rejections)[]

describe.each([
  { profile: 'prose' },
  { profile: 'formal' },
  { profile: 'prose', settings: { semantic_refusals: 'rejected_200' } },
])('a repro file under %j', creation => {
  const open = () => openTenantClient({ name: 'qa', seed: 'repros', ...creation })

  it.each([...checks, 'new', 'distributed'] as const)(
    'of %s reproduces the decision without personal data',
    async name => {
      const { leads, control, done, submit } = await open()
      const built = [leads[name]()].flat() as LeadSubmission[]
      const email = built[0]?.customer.contact.email.address
      const submissions = built.map(lead => withPerson(lead, name === 'blacklisted' ? email : `${person.email}`))
      const last = submissions.at(-1) as LeadSubmission
      for (const lead of submissions.slice(0, -1)) await submit(lead)

      const explained = await done('POST', '/leads/explain', last)
      const foreseen = await done('POST', '/leads/repro', last)
      await expectRepro(foreseen, explained, last)
      const reason = name in rejections ? rejections[name as keyof typeof rejections].reason : undefined
      const { body } = foreseen.expected.would
      expect(reason === undefined ? body.status : (body.rejection_reason ?? body.error)).toBe(reason ?? name)

      const { lead_id } = await submit(last)
      if (!lead_id) return
      const stored = await done('GET', `/leads/${lead_id}`)
      const { status, json } = await control('GET', `/leads/${lead_id.toUpperCase()}/repro`)
      expect(status).toBe(200)
      await expectRepro(json as ReproFile, stored, last)
      expect(json).toEqual({ ...foreseen, now: json.now })
      expect(JSON.stringify(json)).not.toContain(lead_id)
    },
  )

  it.each(scenarioWords)('of the scenario %s reproduces it', async word => {
    const { leads, done, submit } = await open()
    const lead = withPerson(leads.distributed() as LeadSubmission, `${word}+planted@sandbox.test`)
    await expectRepro(await done('POST', '/leads/repro', lead), await done('POST', '/leads/explain', lead), lead)
    const { lead_id } = await submit(lead)
    if (!lead_id) return
    await expectRepro(await done('GET', `/leads/${lead_id}/repro`), await done('GET', `/leads/${lead_id}`), lead)
  })
})

it('covers every reason of the contract', () => {
  const covered = new Set<RejectionReason>(checks.map(name => rejections[name].reason))
  expect([...covered].sort()).toEqual([...rejectionReasons].sort())
})

describe('the state behind a decision', () => {
  const email = person.email
  const taken = { customer: { contact: { email: { address: email } } } }

  it('is in the file: an expired window, and a customer created by force', async () => {
    const { leads, done, submit } = await openTenantClient({
      name: 'qa',
      seed: 'window',
      frozen_at: '2026-11-23T10:00:00Z',
    })
    await submit(withPerson(leads.incomeInsufficient() as LeadSubmission))
    await done('POST', '/clock/advance', { by: 'PT61.234S' })
    const lead = withPerson(leads.distributed() as LeadSubmission)
    const { lead_id } = await submit(lead)
    const file = await done('GET', `/leads/${lead_id}/repro`)
    expect(file.expected.trace).toContainEqual(
      expect.objectContaining({ check: 'duplicate', input: 'refused 61.234 s ago' }),
    )
    await expectRepro(file, await done('GET', `/leads/${lead_id}`), lead)

    const again = await done('POST', '/leads/repro', lead)
    expect(again.customer).toEqual({ has_lead: true })
    await expectRepro(again, await done('POST', '/leads/explain', lead), lead)
  })

  it('contains one customer, one product and only the fields that were read', async () => {
    const { leads, account, done, submit } = await openTenantClient()
    const blacklist = [{ email: 'other@planted.example' }, { phone: '+34611777888' }, { email }, { email }]
    await done('PATCH', '', { blacklist })
    const lead = withPerson(leads.distributed(taken) as LeadSubmission)
    const { lead_id } = await submit(lead)
    const file = await done('GET', `/leads/${lead_id}/repro`)
    expect(file).toMatchObject({
      blacklist: [{ email: 'customer@repro.example' }, { email: 'customer@repro.example' }],
    })
    expect([file.advertisers, file.submission.customer.profile]).toEqual([[], undefined])
    expect(file.product.product_id).toBe(account.products[0]?.product_id)
    await expectRepro(file, await done('GET', `/leads/${lead_id}`), lead)
  })

  it('is refused if the account now decides differently', async () => {
    const { leads, account, done, refused, submit } = await openTenantClient()
    const { lead_id } = await submit(leads.incomeInsufficient)
    const [product] = account.products
    const change = { product_id: product?.product_id, criteria: { minimum_monthly_income: 0 } }
    await done('PATCH', '', { products: [change] })
    expect(await refused('GET', `/leads/${lead_id}/repro`)).toEqual(['lead_id'])
  })

  it('is refused if no decision is made', async () => {
    const { leads, control, refused } = await openTenantClient()
    expect(await refused('POST', '/leads/repro', leads.validationError() as object)).toEqual([
      'product_data.loan_amount',
    ])
    expect(await refused('POST', '/leads/repro', leads.publisherMismatch() as object)).toEqual(['publisher_id'])
    const { status } = await control('GET', '/leads/00000000-0000-4000-8000-000000000000/repro')
    expect(status).toBe(404)
  })
})

it.each([
  ['1980-01-01', '2026-06-15T12:00:00Z'],
  ['1980-01-01', '2026-01-01T00:00:00Z'],
  ['1980-01-01', '2025-12-31T23:59:59Z'],
  ['1984-02-29', '2026-02-28T12:00:00Z'],
  ['1984-02-29', '2026-03-01T12:00:00Z'],
  ['2030-07-01', '2026-06-15T12:00:00Z'],
])('keeps the age of a customer born on %s at %s', async (birthday, frozen_at) => {
  const { leads, done } = await openTenantClient({ name: 'qa', seed: 'ages', frozen_at })
  const personal = { customer: { personal_data: { birthday } } }
  const lead = withPerson(leads.distributed(personal) as LeadSubmission)
  const file = await done('POST', '/leads/repro', lead)
  await expectRepro(file, await done('POST', '/leads/explain', lead), lead)
})

describe('an invalid file', () => {
  const made = async () => {
    const { leads, done } = await openTenantClient()
    return done('POST', '/leads/repro', leads.distributed() as object)
  }

  it.each([
    [{ format: 'lead-sandbox-snapshot/1' }, 'format'],
    [{ now: '2026-02-28T24:00:00Z' }, 'now'],
    [{ seed: 'a' }, 'seed'],
    [{ settings: {} }, 'settings.gender'],
    [{ submission: [] }, 'submission'],
    [{ submission: { '\u001b[2J': 1 } }, 'file'],
    [{ submission: { customer: ['\u001b[2J'] } }, 'file'],
    [{ advertisers: [{}] }, 'advertisers.0.advertiser_id'],
    [{ expected: { would: { status: '200', body: {} }, trace: [] } }, 'expected.would.status'],
    [{ scenario: 'no such scenario' }, 'scenario'],
  ])('is refused: %j', async (change, field) => {
    const { issues } = await runRepro(bytesOf({ ...(await made()), ...change }))
    expect(issues?.map(issue => issue.field)).toContain(field)
  })

  it('is refused before parsing if it is too large, too deep or not JSON', async () => {
    const run = async (text: string) => (await runRepro(new TextEncoder().encode(text))).issues?.length
    const deep = `{"submission":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    for (const text of ['', 'null', '[]', '{', deep, ' '.repeat(1_048_577)]) expect(await run(text)).toBe(1)
  })

  it('shows the first difference to another decision', async () => {
    const file = await made()
    const product = {
      ...file.product,
      criteria: { ...file.product.criteria, min_age: 70, minimum_monthly_income: 9_000 },
    }
    file.submission.customer.personal_data.birthday = '1980-03-04'
    expect(await runRepro(bytesOf({ ...file, product }))).toMatchObject({
      difference: { at: 'age', expected: { verdict: 'passed' }, got: { verdict: 'rejected' } },
    })
    file.expected.would.body.redirect_url = 'https://example.com/'
    file.submission.customer.personal_data = { last_name: 'Customer', first_name: 'Repro', gender: 'other' }
    expect(await runRepro(bytesOf(file))).toMatchObject({ difference: { at: 'response' } })
  })

  it('may have its fields in any order, and differently worded hints', async () => {
    const file = await made()
    file.expected.trace = file.expected.trace.map((step: object) => ({
      hint: 'x',
      ...Object.fromEntries(Object.entries(step).reverse()),
    }))
    expect(await runRepro(bytesOf(file))).not.toHaveProperty('difference')
  })
})
