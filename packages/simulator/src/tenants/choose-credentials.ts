import { type FieldIssue, isSameUuid } from '@lead-distribution/contract'
import type { ChosenCredentials, TenantRecord } from '../storage/tenant-record.ts'
import { resetRecord } from './create-tenant.ts'
import {
  type ChosenOfAdvertiser,
  type CredentialChoice,
  defined,
  isChosen,
  type KeyHolder,
  publicPart,
  withCredentials,
} from './tenant-identity.ts'

/** Gives a tenant the keys and secrets that a change chooses. */
export async function chooseCredentials(record: TenantRecord, change: CredentialChoice): Promise<TenantRecord> {
  const credentials = withChoice(record.credentials ?? {}, change)
  const lasting = await withFirst(record, change.advertisers?.filter(isChosen) ?? [])
  return withCredentials({ ...lasting, credentials })
}

/** Makes advertisers of a tenant part of its creation where a reset would remove them. */
export async function withFirst(
  record: TenantRecord,
  named: readonly { readonly advertiser_id: string }[],
): Promise<TenantRecord> {
  const { made = { settings: record.settings }, advertisers } = record
  const { advertisers: kept } = await resetRecord(record)
  const isIn = (list: typeof named, id: string) => list.some(({ advertiser_id }) => isSameUuid(advertiser_id, id))
  const more = advertisers
    .filter(({ advertiser_id }) => isIn(named, advertiser_id) && !isIn(kept, advertiser_id))
    .map(({ api_key: _key, postback_secret: _secret, ...advertiser }) => advertiser)
  return { ...record, made: { ...made, advertisers: [...(made.advertisers ?? []), ...more] } }
}

/** Returns the issues of the keys that a change chooses: each must be one that nobody else has. */
export function keyIssues(
  { tenant }: Pick<TenantRecord, 'tenant'>,
  { publisher, advertisers = [] }: CredentialChoice,
  holderOf: (apiKey: string) => KeyHolder | undefined,
): FieldIssue[] {
  const keys = advertisers.map(({ api_key }) => api_key && publicPart(api_key))
  const isOthers = (apiKey: string, advertiserId: string | undefined) => {
    const holder = holderOf(apiKey)
    return holder && !(holder.tenant === tenant && isSameUuid(holder.advertiser_id ?? '', advertiserId ?? ''))
  }
  const issue =
    'begins like another key of this sandbox; choose a key whose part before the last underscore no other key has'
  const taken = advertisers.flatMap(({ advertiser_id, api_key }, index) =>
    api_key !== undefined && (isOthers(api_key, advertiser_id) || keys.indexOf(keys[index]) < index)
      ? [{ field: `advertisers.${index}.api_key`, issue }]
      : [],
  )
  const ofPublisher = publisher?.api_key !== undefined && isOthers(publisher.api_key, undefined)
  return ofPublisher ? [{ field: 'publisher.api_key', issue }, ...taken] : taken
}

function withChoice({ publisher, advertisers = [] }: ChosenCredentials, change: CredentialChoice): ChosenCredentials {
  const chosen = [...advertisers]
  for (const choice of change.advertisers?.filter(isChosen).map(choiceOf) ?? []) {
    const index = chosen.findIndex(({ advertiser_id }) => isSameUuid(advertiser_id, choice.advertiser_id))
    if (index < 0) chosen.push(choice)
    else chosen[index] = { ...chosen[index], ...choice }
  }
  return { publisher: { ...publisher, ...defined(change.publisher ?? {}) }, advertisers: chosen }
}

const choiceOf = ({ advertiser_id, api_key, postback_secret }: ChosenOfAdvertiser) => ({
  advertiser_id,
  ...defined({ api_key, postback_secret }),
})
