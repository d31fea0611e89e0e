/** The address of one callback: the publisher's own, its query kept, `lead_id` and `event` set on it (Spec 6.2). */
export function callbackUrl(base: string, lead_id: string, event: string): string {
  const url = new URL(base)
  url.searchParams.set('lead_id', lead_id)
  url.searchParams.set('event', event)
  return url.href
}
