/** What there is to say about tracking data (Spec 2.10), by its code. */
export const trackingAdvice = {
  tracking_empty: 'Leave it out: it is empty.',
  tracking_personal_data: 'Give an id instead of an e-mail address.',
  source_not_absolute: 'Give the absolute http or https URL of the page.',
  source_with_query: 'Leave out query and fragment: they may hold personal data.',
} as const
