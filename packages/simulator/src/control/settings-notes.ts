/** The open point of the specification behind each setting. `docs/open-points.md` has the same sentences. */
export const settingsNotes: Readonly<Record<string, string>> = {
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
  lifecycle: 'The events that the simulated advertiser reports by itself, each so long after its lead came in.',
}
