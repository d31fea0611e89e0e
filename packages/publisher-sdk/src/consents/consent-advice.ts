/** What there is to say about consents (Spec 2.9, 8), by its code. */
export const consentAdvice = {
  consent_missing: 'Ask for `terms` and `privacy_policy`: without them no lead is processed.',
  consent_not_accepted: 'Submit no lead before this is accepted.',
  consent_repeated: 'Keep one entry of each type.',
  accepted_at_missing: 'Say when it was accepted.',
  accepted_at_unexpected: 'It was not accepted: give null.',
  accepted_after_collected: 'It is after `collected_at`: take both from one clock.',
  accepted_long_before_collected: 'It is over a day before `collected_at`: ask the customer again.',
  time_in_future: 'It is in the future: set the clock.',
  version_missing: 'Name the version that was shown.',
  document_url_missing: 'Give the URL of the very document that was shown.',
  document_url_not_https: 'Give an absolute https URL.',
  document_url_shared: 'Give each version a URL of its own.',
  metadata_missing: 'Record address, user agent and time: consent must be proved.',
  ip_address_not_public: 'Give the address of the customer, not of a proxy.',
  user_agent_missing: 'Record it: consent must be proved.',
} as const
