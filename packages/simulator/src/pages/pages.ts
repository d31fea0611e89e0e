import { createRouter, jsonReply, methodNotAllowed, type WireReply, type WireRequest } from '@lead-distribution/http'
import type { SandboxStorage } from '../ports/sandbox-storage.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { lenderPage } from './lender-page.ts'
import { sink } from './sink.ts'
import { sandboxPath, type Urls } from './urls.ts'

/** What stands below the sandbox's path besides the control plane. */
const pages = {
  health: { methods: ['GET'], path: '/health' },
  lender: { methods: ['GET'], path: '/lender/:lead_id/:advertiser_id' },
  serviceDocument: { methods: ['GET'], path: '/service.openapi.json' },
  sink: { methods: ['GET'], path: '/sink/:tenant' },
} as const

type PageName = keyof typeof pages
type Params = Readonly<Record<string, string>>

/** The pages of a sandbox; undefined where a path is none of them. */
export function createPages(registry: TenantRegistry, storage: SandboxStorage, urls: Urls) {
  const route = createRouter<PageName>(pages)
  const show: Record<PageName, (params: Params, request: WireRequest) => Promise<WireReply | undefined>> = {
    health: async () => jsonReply(200, { status: 'ok' }),
    lender: ({ lead_id = '', advertiser_id = '' }) => lenderPage(registry, urls, lead_id, advertiser_id),
    async serviceDocument() {
      // Loaded when it is asked for: it is as large as the rest of the simulator.
      const { serviceDocument } = await import('@lead-distribution/contract/openapi')
      return jsonReply(200, serviceDocument([{ url: urls.base, description: 'This sandbox.' }]))
    },
    async sink({ tenant: name = '' }, { target, headers }) {
      const tenant = registry.find(name)
      return tenant && sink(storage, name, { target, headers, received_at: tenant.clock.now() })
    },
  }

  return async (request: WireRequest): Promise<WireReply | undefined> => {
    const [path = ''] = request.target.split('?', 1)
    if (!path.startsWith(`${sandboxPath}/`)) return undefined
    const match = route(request.method, path.slice(sandboxPath.length))
    if (!match) return undefined
    if ('operation' in match) return show[match.operation](match.params, request)
    const { status, body, headers } = methodNotAllowed(match.allow)
    return jsonReply(status, body, headers)
  }
}
