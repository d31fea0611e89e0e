import { type FieldNotes, fieldNotes } from '@lead-distribution/contract/openapi'
import { formalProfile, proseProfile } from '@lead-distribution/engine'
import type { TenantSettings } from '../tenants/account.ts'

// The OpenAPI document of the control plane shows these notes, and the console's forms show them as hints.

/** The open point of the specification behind each setting. `docs/open-points.md` has the same sentences. */
const openPoints: Readonly<Record<keyof TenantSettings, string>> = {
  profile: 'Sets every setting that is not set by itself: by the prose of the specification, or by its formal schema.',
  gender: "The formal schema requires the customer's gender; the prose does not mention it.",
  consent_metadata: 'The formal schema requires how the consents were collected; the list of required fields does not.',
  semantic_refusals:
    'Missing consents and an unknown product are a `422` in one place and a rejection reason in another.',
  status_methods: 'The reference of the status update shows `POST`, the page on authentication says `PATCH`.',
  status_vocabulary: 'Only `converted` is shown as a status of the update by body.',
  callback_event_names: 'There are two lists of event names; the callback examples use the second.',
  absent_fields: 'A field of the response that does not apply may be absent or null.',
  duplicate_window: 'How soon is too soon for `duplicate_submission`?',
  callback_retries: 'Does the service retry a callback that fails?',
  callback_timeout:
    'How long may the publisher take to respond? Any `2xx` is a delivery; anything else, a redirect too, is a failed attempt.',
  token_format: 'The token is an HMAC over lead and advertiser: which hash, which joiner, which encoding?',
  distribution: 'Does one advertiser get a lead, or every one that accepts it?',
  callback_signature: 'Nothing authenticates a callback.',
  journal_bodies:
    'The bodies that the journal keeps of the newest 200 calls, at most 16,384 characters each: `masked`, without personal data, or none. `off` removes those that it has.',
  lifecycle: 'The events that the simulated advertiser reports by itself, and how long after its lead arrives.',
}

/** Returns the open point behind a setting, and its default in each profile. */
function settingNote([name, point]: [name: string, point: string]): [name: string, note: string] {
  const [prose, formal] = [proseProfile, formalProfile].map(profile => valueText(Reflect.get(profile, name)))
  if (prose === undefined || name === 'profile') return [name, point]
  return [name, `${point} Default: ${prose}${formal === prose ? '' : `, or ${formal} in the profile \`formal\``}.`]
}

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const values = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return values.map(each => `\`${each}\``).join(', ')
}

export const accountNotes: FieldNotes = {
  Account: { description: 'An account with the keys and secrets that its user integrates with.', fields: {} },
  SettingsChange: {
    description: 'Some of the settings: interpretations of the open points of the specification.',
    fields: Object.fromEntries(Object.entries(openPoints).map(settingNote)),
  },
  TokenFormat: {
    description: 'The recipe of the token in a postback URL.',
    fields: {
      hash: 'The hash of the HMAC.',
      joiner: 'The text between the id of the lead and that of the advertiser. May be empty.',
      encoding: 'The encoding of the HMAC.',
    },
  },
  ScheduledEvent: {
    description: 'An event that the simulated advertiser reports by itself.',
    fields: {
      event: 'The event, by its name in either list.',
      after: "The time from the lead's arrival to the report, on the tenant's clock.",
    },
  },
  PublisherChange: {
    description: "A change of the publisher. Choosing the key or the secret requires the sandbox's admin token.",
    fields: {
      publisher_id: 'Its id. It cannot change.',
      api_key: 'An API key of your choice, in place of its own.',
      callback_url: "The URL that receives its callbacks: on the sandbox's own machine, or on an allowed host.",
      callback_secret: 'A secret of your choice that signs its callbacks, in place of its own.',
    },
  },
  ProductChange: {
    description: 'A product of a change: found by its id, or added under it, then with a name.',
    fields: {
      product_id: 'Its id, a UUID.',
      name: 'Its name, for people.',
      active: 'True if it accepts leads.',
      criteria: 'The criteria that a lead must meet.',
    },
  },
  AdvertiserChange: {
    description: 'An advertiser of a change: found by its id, or added under it, then with a name.',
    fields: {
      advertiser_id: 'Its id, a UUID.',
      name: 'Its name, for people.',
      priority: 'Its place in the order in which advertisers are asked: the lowest number first.',
      api_key: "An API key of your choice, in place of its own. Requires the sandbox's admin token.",
      postback_secret:
        "A secret of your choice behind its postback URLs, in place of its own. Requires the sandbox's admin token.",
      backend_url: 'The URL of its own back end, which gets each lead that it accepts. None if empty.',
      criteria: 'The leads that it accepts.',
    },
  },
  ProductCriteria: fieldNotes.ProductCriteria,
  AdvertiserCriteria: fieldNotes.AdvertiserCriteria,
  BlacklistEntry: fieldNotes.BlacklistEntry,
}
