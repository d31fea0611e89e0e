import type { Tenant } from '../adapters/tenant.ts'

/** The keys of a production account, as READMEs take them from the environment. */
export const productionKeys = { publisher: 'publisher-key-of-production', advertiser: 'advertiser-key-of-production' }

/** The service that READMEs name. */
export const productionUrl = 'https://acme.leads.example'

const sandboxUrl = 'http://127.0.0.1:4010'

/**
 * A `fetch` by which the service that READMEs name, with its keys, is a tenant of a sandbox; and so is the sandbox at its
 * documented port.
 */
export function serviceOfReadmes(
  tenant: Tenant,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const { fetch } = globalThis
  const keys = new Map([
    [productionKeys.publisher, tenant.publisherKey],
    [productionKeys.advertiser, tenant.advertiserKey()],
  ])
  return (input, init) => {
    const named = input instanceof Request ? input.url : String(input)
    const { origin } = new URL(named)
    const isService = origin === productionUrl || origin === sandboxUrl
    const url = isService ? named.replace(origin, tenant.adapter.url) : named
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))
    // A kept connection may have ended while the compiler kept this process from noticing.
    headers.set('connection', 'close')
    const key = headers.get('apikey')
    // A key of the sandbox's own is none of production.
    if (origin === productionUrl && key !== null) headers.set('apikey', keys.get(key) ?? 'unknown')
    return fetch(input instanceof Request ? new Request(url, input) : url, { ...init, headers })
  }
}
