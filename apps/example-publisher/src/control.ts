/** A delivery as the sandbox's control plane shows it. */
interface ShownDelivery {
  advertiser_id: string
  decision: 'accepted' | 'declined'
  postback_url?: string
}

/** The control plane of one tenant of a sandbox, as far as the demo needs it. */
export function createControl(url: string, tenant: string) {
  const base = `${url}/_sandbox/v1/tenants/${tenant}`
  const call = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${base}${path}`, init)
    if (!reply.ok) throw new Error(`The control plane answered ${reply.status}: ${await reply.text()}`)
    return reply.json()
  }
  return {
    change: (change: object) =>
      call('', { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(change) }),
    lead: (leadId: string): Promise<{ deliveries: ShownDelivery[] }> => call(`/leads/${leadId}`),
  }
}
