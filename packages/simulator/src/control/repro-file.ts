/**
 * Creates repro files and runs them in memory.
 * @module @lead-distribution/simulator/repro
 */

import {
  type Account,
  dateTimeMs,
  documentationAddresses,
  type FieldIssue,
  genders,
  ipv4InRange,
  type ProductCriteria,
  requiredConsents,
  type Settings,
} from '@lead-distribution/contract'
import {
  account as accountShape,
  dateTime,
  fieldIssues,
  type Lead,
  maxParties,
  product as productShape,
  profiles,
  settings as settingsShape,
} from '@lead-distribution/contract/shapes'
import { type ScenarioWord, scenarioWords } from '@lead-distribution/contract/test-leads'
import {
  ageOn,
  createLeadReader,
  type OfferResponse,
  type RefusedAgo,
  submitLead,
  type TraceStep,
} from '@lead-distribution/engine'
import { jsonIssue } from '@lead-distribution/http'
import * as z from 'zod/mini'
import { createAdvertiserNetwork } from '../advertisers/advertisers.ts'
import { appliedScenario, forceOutcome } from '../effects/scenarios.ts'
import { submitResponse } from '../service/responses.ts'
import { createTenantMemory, storageOf } from '../storage/memory-tables.ts'
import { advertiserContent } from '../storage/tenant-record.ts'
import { decidingSettings, decidingSettingsOf } from '../tenants/initial-account.ts'
import { earliestTime, latestTime } from '../time/clock.ts'
import { boundsIssue } from './bounded-json.ts'
import { offersOf } from './leads.ts'
import { iso, trace, traceView } from './shapes.ts'

// Loaded on demand: a page with the sandbox in it rarely makes a repro file.

/** The maximum size of a repro file, in bytes. */
export const maxReproBytes = 1_048_576

const time = dateTime.check(
  z.refine(text => dateTimeMs(text) >= earliestTime && dateTimeMs(text) <= latestTime, 'must be a time that exists'),
)
const object = z.record(z.string(), z.unknown())

const reproShape = z.strictObject({
  format: z.literal('lead-sandbox-repro/1'),
  /** The time of the decision on the tenant's clock. */
  now: time,
  /** The settings that affect decisions on leads and their responses. */
  settings: z.pick(settingsShape, decidingSettings),
  /** The product applied for; absent if the account does not have it. */
  product: z.optional(z.omit(productShape, { name: true })),
  /** The advertisers that the lead was offered to. */
  advertisers: z.array(z.omit(advertiserContent, { backend_url: true })).check(z.maxLength(maxParties)),
  blacklist: accountShape.shape.blacklist,
  /** Earlier submissions of the same customer, if the decision depends on them. */
  customer: z.optional(z.strictObject({ has_lead: z.optional(z.literal(true)), refused_at: z.optional(time) })),
  /** The scenario that was applied. */
  scenario: z.optional(z.enum(scenarioWords)),
  submission: object,
  expected: z.strictObject({
    would: z.strictObject({ status: z.int(), body: object }),
    trace: trace.check(z.maxLength(100)),
  }),
})

/** A decision and everything that it depends on. Contains no personal data, keys or secrets. */
export type ReproFile = z.output<typeof reproShape>

/** A decision on a lead, with its response. */
type ReproDecision = ReproFile['expected']

/** A past decision on a lead that passed validation. */
export interface DecidedLead {
  readonly lead: Lead
  readonly trace: readonly TraceStep[]
  readonly deliveries: readonly Pick<OfferResponse, 'advertiser_id'>[]
  /** The time of the decision, in milliseconds since 1970 on the tenant's clock. */
  readonly now: number
}

/** Stands in for the ids of leads. */
const leadId = '00000000-0000-0000-0000-000000000000'

const email = 'customer@repro.example'
const phone = '000000001'
const identification_number = 'REPRO-DOCUMENT'

/** Addresses from documentation, private and reserved networks, which no customer has. */
const addresses = [...documentationAddresses, '10.0.0.1', '172.16.0.1', '192.168.0.1', '240.0.0.1']

/**
 * Makes the smallest file that reproduces a decision. It contains only fields that a check read, and replaces personal
 * data with stand-ins that get the same verdicts. Returns undefined if the account now decides differently.
 */
export async function makeRepro(decided: DecidedLead, account: Account): Promise<ReproFile | undefined> {
  const { trace, deliveries, now, lead } = decided
  const { stepOf } = readTrace(trace)
  const product = account.products.find(({ product_id }) => product_id === lead.product_id)
  const fraud = standInAddress(decided, product?.criteria)
  const refused = stepOf('duplicate')?.input as RefusedAgo | undefined
  const customer = {
    ...([stepOf('customer'), stepOf('claim')].some(step => step?.verdict === 'rejected') && {
      has_lead: true as const,
    }),
    ...(refused && { refused_at: iso(now - refused.refused_ms_ago) }),
  }
  const scenario = appliedScenario(trace) as ScenarioWord | undefined
  const listed = blacklistedBy(trace)
  const file = {
    format: 'lead-sandbox-repro/1',
    now: iso(now),
    settings: decidingSettingsOf(account.settings),
    ...(product && {
      product: {
        product_id: product.product_id,
        active: product.active,
        criteria: { ...product.criteria, fraud_ip_ranges: fraud.ranges },
      },
    }),
    // Without fields that only concern their back ends.
    advertisers: account.advertisers
      .filter(advertiser => deliveries.some(({ advertiser_id }) => advertiser_id === advertiser.advertiser_id))
      .map(({ advertiser_id, name, priority, criteria }) => ({ advertiser_id, name, priority, criteria })),
    blacklist: listed.map(name => ({ [name]: { email, phone, identification_number }[name] })),
    ...(Object.keys(customer).length > 0 && { customer }),
    ...(scenario !== undefined && { scenario }),
    submission: { ...standInLead(decided, account, { listed, ip_address: fraud.address }) },
  } satisfies Omit<ReproFile, 'expected'>
  const { deliveries: _, ...expected } = await decideRepro(file)
  return isSameDecision(traceView(trace), expected.trace) ? { ...file, expected } : undefined
}

function readTrace(trace: readonly TraceStep[]) {
  const stepOf = (check: string) => trace.find(step => step.check === check)
  const wasJudged = (...checks: string[]) =>
    checks.some(check => ['passed', 'rejected'].includes(stepOf(check)?.verdict ?? ''))
  return { stepOf, wasJudged }
}

type BlacklistField = 'email' | 'phone' | 'identification_number'

/** Returns the fields that matched the blacklist. */
function blacklistedBy(trace: readonly TraceStep[]): BlacklistField[] {
  const step = trace.find(({ check }) => check === 'blacklist')
  return step?.verdict === 'rejected' ? (step.input as BlacklistField[]) : []
}

interface StandIns {
  readonly listed: readonly BlacklistField[]
  readonly ip_address: string
}

/** Returns a lead of a fictitious customer, with the fields that the checks read. */
function standInLead({ lead, trace, now }: DecidedLead, { settings }: Account, { listed, ip_address }: StandIns) {
  const { customer, consents, product_data, product_id, publisher_id } = lead
  const { wasJudged } = readTrace(trace)
  const { birthday } = customer.personal_data
  const { address, profile } = customer
  const at = iso(now)
  const needsMetadata = settings.consent_metadata === 'required' || wasJudged('fraud')
  return {
    product_id,
    publisher_id,
    customer: {
      personal_data: {
        first_name: 'Repro',
        last_name: 'Customer',
        ...(settings.gender === 'required' && { gender: genders[2] }),
        ...(birthday !== undefined && wasJudged('age') && { birthday: standInBirthday(birthday, now) }),
        ...(listed.includes('identification_number') && { identification_number }),
      },
      contact: { email: { address: email }, ...(listed.includes('phone') && { phone: { number: phone } }) },
      ...(address && wasJudged('geography') && { address: { country: standInCountry(address.country, trace) } }),
      ...(profile &&
        wasJudged('income', 'eligibility', 'distribution') && {
          profile: { occupation: profile.occupation, monthly_income: profile.monthly_income },
        }),
    },
    product_data,
    consents: {
      entries: consents.entries
        .filter(({ type }) => (requiredConsents as readonly string[]).includes(type))
        .map(({ type, accepted }) => ({ type, accepted, accepted_at: accepted ? at : null, version: '1' })),
      ...(consents.metadata && needsMetadata && { metadata: { ip_address, collected_at: at } }),
    },
  }
}

function standInBirthday(birthday: string, now: number): string {
  const today = new Date(now)
  const age = ageOn(birthday, today)
  const year = today.getUTCFullYear() - age
  const days = [`${year}-01-01`, `${year}-01-02`, `${year - 1}-12-31`].map(day => day.padStart(10, '0'))
  return days.find(day => day !== birthday && ageOn(day, today) === age) ?? ''
}

/** Returns a country code unchanged; replaces free text with a country that gets the same verdict. */
function standInCountry(country: string, trace: readonly TraceStep[]): string {
  if (/^[a-z]{2}$/i.test(country)) return country
  const { stepOf } = readTrace(trace)
  // Criteria contain only codes, so any other text is unlisted.
  return stepOf('geography')?.verdict === 'passed' ? country.toUpperCase() : 'unlisted'
}

/** Returns a stand-in address that is suspicious if the customer's was, and the networks to compare it with. */
function standInAddress({ lead, trace }: DecidedLead, criteria: ProductCriteria | undefined) {
  const own = lead.consents.metadata?.ip_address
  const isSuspicious = readTrace(trace).stepOf('fraud')?.verdict === 'rejected'
  const ranges = criteria?.fraud_ip_ranges.filter(range => !range.startsWith(`${own}/`)) ?? []
  const bases = ranges.map(range => range.replace(/\/.*/, ''))
  const others = [...addresses, ...bases].filter(address => address !== own)
  const address = others.find(address => ranges.some(range => ipv4InRange(address, range)) === isSuspicious)
  if (address !== undefined) return { address, ranges }
  const [first = ''] = others
  return { address: first, ranges: isSuspicious ? [`${first}/32`] : [] }
}

/** Runs the engine on a file, in memory. Lead ids are nil UUIDs. */
async function decideRepro(file: Omit<ReproFile, 'expected'>) {
  const { product, customer = {}, submission, scenario } = file
  const settings: Settings = { ...profiles.prose, ...file.settings }
  const storage = storageOf(createTenantMemory())
  await storage.transact(async tables => {
    if (product && customer.has_lead) await tables.claimCustomer(product.product_id, email, leadId)
    if (product && customer.refused_at !== undefined)
      await tables.markRefused(product.product_id, email, dateTimeMs(customer.refused_at))
  })
  const result = await submitLead(
    {
      storage,
      clock: { now: () => dateTimeMs(file.now) },
      ids: { lead: () => leadId, callback: () => leadId },
      network: createAdvertiserNetwork((_, advertiserId) => `https://advertiser.repro.example/${advertiserId}`),
      readLead: createLeadReader(),
    },
    {
      publisher: { publisher_id: String(submission.publisher_id), api_key: '', callback_url: '', callback_secret: '' },
      products: product ? [{ ...product, name: '' }] : [],
      advertisers: file.advertisers.map(advertiser => ({ ...advertiser, api_key: '', postback_secret: '' })),
      blacklist: file.blacklist,
      settings,
    },
    { body: submission, findForcedOutcome: forceOutcome(scenario, { dry: true }) },
  )
  const { status, body } = submitResponse(result, settings)
  const decision: ReproDecision = JSON.parse(
    JSON.stringify({ would: { status, body }, trace: traceView(result.trace) }),
  )
  return { ...decision, deliveries: offersOf(result) }
}

/** The checks with personal data or a lead id as input, which a stand-in replaces. */
const personal = ['customer', 'consents', 'fraud', 'geography']

/** Returns true if the stand-ins got the customer's verdicts. A dry run has no `claim` check. */
function isSameDecision(recorded: readonly TraceStep[], reproduced: ReproDecision['trace']): boolean {
  return recorded.every((step, index) => {
    const other = reproduced[index]
    if (step.check !== other?.check || step.verdict !== other.verdict) return false
    return (
      (step.check === 'fraud' || isSame(step.threshold, other.threshold)) &&
      (personal.includes(step.check) || isSame(step.input, other.input))
    )
  })
}

/** Returns true if two values are equal, ignoring the order of fields and human-readable text. */
function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other)
}

function plain(value: unknown): string {
  return JSON.stringify(value, (name, each: unknown) => {
    if (name === 'hint' || name === 'message') return undefined
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

export type ReproRun =
  | {
      /** The problem with the file. Nothing was run. */
      readonly issues: readonly FieldIssue[]
    }
  | {
      readonly issues?: never
      readonly got: Awaited<ReturnType<typeof decideRepro>>
      /** The first difference; undefined if the decision is the same. */
      readonly difference?: ReproDifference
    }

/** The first place where two decisions differ. */
export interface ReproDifference {
  /** The check, or `response` if all checks agree. */
  readonly at: string
  /** The expected step or response; undefined if the file has no such check. */
  readonly expected?: unknown
  /** The actual step or response; undefined if the result has no such check. */
  readonly got?: unknown
}

/** Runs the decision of a repro file again and compares the results. Validates the file first, so any text is accepted. */
export async function runRepro(bytes: Uint8Array): Promise<ReproRun> {
  const { file, issues } = readRepro(bytes)
  if (!file) return { issues }
  const got = await decideRepro(file)
  const difference = firstDifference(file.expected, got)
  return { got, ...(difference && { difference }) }
}

type ReadRepro = { file: ReproFile; issues?: never } | { file?: never; issues: FieldIssue[] }

function readRepro(bytes: Uint8Array): ReadRepro {
  const wrong = (issue: string) => ({ issues: [{ field: 'file', issue }] })
  if (bytes.length > maxReproBytes) return wrong(`must be at most ${maxReproBytes} bytes`)
  const json = parseBounded(bytes)
  if (json.issue !== undefined) return wrong(json.issue)
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return wrong('must be an object')
  const { data, error } = reproShape.safeParse(json.value)
  return data ? { file: data } : { issues: fieldIssues(error.issues, json.value) }
}

/** Parses JSON of a bounded size. Refuses control characters, which could change what a terminal shows. */
function parseBounded(bytes: Uint8Array): { readonly value?: unknown; readonly issue?: string } {
  const issue = boundsIssue(bytes)
  if (issue !== undefined) return { issue }
  let hasControlCharacter = false
  const isControl = (text: unknown) => typeof text === 'string' && /\p{Cc}/u.test(text)
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      (name, each: unknown) => {
        hasControlCharacter ||= isControl(name) || isControl(each)
        return each
      },
    )
    return hasControlCharacter ? { issue: 'must not contain control characters' } : { value }
  } catch {
    return { issue: jsonIssue(bytes) }
  }
}

function firstDifference(expected: ReproDecision, got: ReproDecision): ReproDifference | undefined {
  const steps = Math.max(expected.trace.length, got.trace.length)
  for (let index = 0; index < steps; index++) {
    const [one, other] = [expected.trace[index], got.trace[index]]
    if (!isSame(one, other)) return { at: (one ?? other)?.check ?? '', expected: one, got: other }
  }
  return isSame(expected.would, got.would) ? undefined : { at: 'response', expected: expected.would, got: got.would }
}
