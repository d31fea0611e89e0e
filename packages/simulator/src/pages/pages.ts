import {
  createRouter,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  methodNotAllowed,
} from '@lead-distribution/http'
import { type ControlAccess, refuseAccess } from '../control/access.ts'
import { expositionType } from '../metrics/exposition.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Documents } from '../ports/documents.ts'
import { controlPath, sandboxPath } from '../surface.ts'
import type { TenantRegistry } from '../tenants/tenant-registry.ts'
import { lenderPage } from './lender-page.ts'
import { sink } from './sink.ts'
import type { Urls } from './urls.ts'

/** What stands below the sandbox's path besides the control plane. */
const pages = {
  controlDocument: { methods: ['GET'], path: '/openapi.json' },
  health: { methods: ['GET'], path: '/health' },
  lender: { methods: ['GET'], path: '/lender/:lead_id/:advertiser_id' },
  metrics: { methods: ['GET'], path: '/metrics' },
  serviceDocument: { methods: ['GET'], path: '/service.openapi.json' },
  sink: { methods: ['GET'], path: '/sink/:tenant' },
} as const

type PageName = keyof typeof pages
type Params = Readonly<Record<string, string>>

/** What the pages show. */
export interface PagesOptions {
  readonly registry: TenantRegistry
  readonly urls: Urls
  readonly access: ControlAccess
  readonly metrics: Metrics
  /** Loads the documents; where it is left out, their paths are nobody's. */
  readonly documents?: (() => Promise<Documents>) | undefined
}

/** The pages of a sandbox; undefined where a path is none of them. */
export function createPages({ registry, urls, access, metrics, documents }: PagesOptions) {
  const route = createRouter<PageName>(pages)
  const show: Record<PageName, (params: Params, request: HttpRequest) => Promise<HttpResponse | undefined>> = {
    async controlDocument() {
      const server = { url: `${urls.origin}${controlPath}`, description: 'This sandbox.' }
      return documents && jsonResponse(200, (await documents()).controlDocument([server], access))
    },
    health: async () => jsonResponse(200, { status: 'ok' }),
    lender: ({ lead_id = '', advertiser_id = '' }) => lenderPage(registry, urls, lead_id, advertiser_id),
    async metrics(_, { headers }) {
      const refused = refuseAccess(access, headers)
      if (refused) return jsonResponse(refused.status, refused.body, refused.headers)
      const body = metrics.render({ tenants: registry.list().length })
      return { status: 200, headers: { 'content-type': expositionType, 'cache-control': 'no-store' }, body }
    },
    async serviceDocument() {
      const server = { url: urls.base, description: 'This sandbox.' }
      return documents && jsonResponse(200, (await documents()).serviceDocument([server]))
    },
    async sink({ tenant: name = '' }, { target, headers }) {
      const tenant = registry.find(name)
      return tenant && sink(tenant.inbox, { target, headers, received_at: tenant.clock.now() })
    },
  }

  return async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    const [path = ''] = request.target.split('?', 1)
    if (!path.startsWith(`${sandboxPath}/`)) return undefined
    const match = route(request.method, path.slice(sandboxPath.length))
    if (!match) return undefined
    if ('operation' in match) return show[match.operation](match.params, request)
    const { status, body, headers } = methodNotAllowed(match.allow)
    return jsonResponse(status, body, headers)
  }
}
