import type { FieldIssue } from '@lead-distribution/contract'
import { dateTime, uuid } from '@lead-distribution/contract/shapes'
import { durationMs, isSameUuid } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import type { TenantRecord } from '../storage/tenant-record.ts'
import { resetRecord } from '../tenants/create-tenant.ts'
import type { SnapshotContent } from '../tenants/snapshot-content.ts'
import type { AccountContent } from '../tenants/tenant-identity.ts'
import { clockTime, count, type FileOwner, list, ownId, type SharedShapes, snapshotFormat } from './snapshot-shapes.ts'

/** The account of a tenant as a file holds it: without keys and secrets, which follow from the seed. */
export function fileAccount(record: TenantRecord) {
  const { tenant, seed, publisher, products, blacklist, settings, callbacks_held } = record
  const { publisher_id, callback_url } = publisher
  const advertisers = record.advertisers.map(({ api_key: _, postback_secret: __, ...advertiser }) => advertiser)
  return {
    tenant,
    seed,
    publisher: { publisher_id, callback_url },
    advertisers,
    products,
    blacklist,
    settings,
    callbacks_held,
  }
}

/** The shape of all but the lists. */
export function headShape(shapes: SharedShapes, { ids, now }: FileOwner) {
  const { accountContent, inboxMode, storedFaults } = shapes
  const saved_at = dateTime.check(
    z.refine(
      text => Date.parse(text) >= 0 && Date.parse(text) <= now + durationMs('P1D'),
      'must be a time that exists, and is not in the future',
    ),
  )
  const newest = z.strictObject({ lead_id: z.optional(ownId(ids.lead)), callback_id: z.optional(ownId(ids.callback)) })
  return z.strictObject({
    format: z.literal(snapshotFormat),
    saved_at,
    tenant: z.extend(accountContent, {
      tenant: z.string(),
      seed: z.string(),
      publisher: z.strictObject({ publisher_id: uuid, callback_url: z.optional(z.string()) }),
    }),
    documents: z.strictObject({
      clock: z.optional(
        z.discriminatedUnion('mode', [
          z.strictObject({ mode: z.literal('running'), ahead_ms: z.number() }),
          z.strictObject({ mode: z.literal('frozen'), now: clockTime }),
        ]),
      ),
      faults: z.optional(storedFaults),
      inbox: z.optional(inboxMode),
      coverage: z.optional(z.record(z.string().check(z.regex(/^[a-z]+\/\w+$/)), count)),
      // Real time.
      ages: z.optional(list(z.strictObject({ at: clockTime, newest, newestRequest: count }), 100)),
    }),
  })
}

/** All but the lists. */
export interface FileHead {
  readonly saved_at: string
  readonly tenant: ReturnType<typeof fileAccount> & AccountContent
  readonly documents: SnapshotContent['documents']
}

/** The issue of a file of a tenant of another name or seed. */
export function otherTenant({ tenant, seed }: FileHead['tenant'], own: TenantRecord): FieldIssue[] | undefined {
  // The ids of its leads follow from both: elsewhere no key, no pixel and no callback of it would be found.
  const field = tenant !== own.tenant ? 'tenant' : seed !== own.seed ? 'seed' : undefined
  if (field === undefined) return undefined
  const [what, flag] = field === 'seed' ? ['has another seed', 'seed'] : [`is called ${own.tenant}`, 'name']
  const issue = `is of another tenant, while this one ${what}: create a tenant with the ${flag} in the file, and import it there`
  return [{ field: `tenant.${field}`, issue }]
}

/** The issues of the parties of a file: those that the tenant was made with are there, and none that another one was. */
export async function wrongParties(
  { publisher, advertisers, products }: FileHead['tenant'],
  { record, all }: FileOwner,
): Promise<FieldIssue[] | undefined> {
  const issues: FieldIssue[] = []
  if (publisher.publisher_id !== record.publisher.publisher_id)
    issues.push({ field: 'tenant.publisher.publisher_id', issue: `must be ${record.publisher.publisher_id}` })
  const made = await resetRecord(record)
  const lists = [
    ['advertisers', 'advertiser_id', advertisers.map(party => party.advertiser_id), idsOf(made).advertisers],
    ['products', 'product_id', products.map(party => party.product_id), idsOf(made).products],
  ] as const
  const added: [field: string, id: string][] = []
  for (const [list, key, ids, own] of lists) {
    if (own.some(id => !ids.includes(id)))
      issues.push({
        field: `tenant.${list}`,
        issue: `must hold those that the tenant was made with: ${own.join(', ')}`,
      })
    for (const [index, id] of ids.entries()) {
      const field = `tenant.${list}.${index}.${key}`
      if (ids.findIndex(other => isSameUuid(other, id)) < index) issues.push({ field, issue: 'is there twice' })
      if (!own.includes(id)) added.push([field, id.toLowerCase()])
    }
  }
  const foreign = await idsOfOthers(new Set(added.map(([, id]) => id)), record, all())
  for (const [field, id] of added) if (foreign.has(id)) issues.push({ field, issue: 'is the id of another tenant' })
  return issues.length > 0 ? issues : undefined
}

function idsOf({ publisher, advertisers, products }: TenantRecord) {
  return {
    publisher: publisher.publisher_id,
    advertisers: advertisers.map(({ advertiser_id }) => advertiser_id),
    products: products.map(({ product_id }) => product_id),
  }
}

/** Those of some ids that another tenant was made with. What others added is theirs and this tenant's alike. */
async function idsOfOthers(wanted: ReadonlySet<string>, own: TenantRecord, all: readonly TenantRecord[]) {
  const found = new Set<string>()
  const wantedOf = (record: TenantRecord) =>
    Object.values(idsOf(record))
      .flat()
      .map(id => id.toLowerCase())
      .filter(id => wanted.has(id))
  for (const record of all)
    if (record.tenant !== own.tenant && wantedOf(record).length > 0)
      for (const id of wantedOf(await resetRecord(record))) found.add(id)
  return found
}
