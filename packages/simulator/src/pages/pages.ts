import { sha256, toHex } from '@lead-distribution/contract'
import type { ExampleOwner, OpenApiDocument, Server } from '@lead-distribution/contract/openapi'
import {
  createRouter,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  methodNotAllowed,
  type RequestHandler,
  writeResponse,
} from '@lead-distribution/http'
import { receiveCallback } from '../callbacks/inbox.ts'
import { type ControlAccess, refuseAccess, refuseOtherPages, refusePages } from '../control/access.ts'
import { expositionType } from '../journal/metrics.ts'
import { demoName } from '../tenants/create-tenant.ts'
import type { TenantRegistry } from '../tenants/registry.ts'
import { controlPath, pagePaths, referencePath, sandboxPath, type Urls } from '../urls.ts'

/** The sandbox's documents. They make up a quarter of the code, so they are loaded on demand. */
export interface Documents {
  /** Returns the service's document, for these base addresses, with a lead of this owner as the example. */
  serviceDocument(servers: readonly Server[], owner: ExampleOwner | undefined): OpenApiDocument
  /** Returns the control plane's document, for these base addresses and this access. */
  controlDocument(servers: readonly Server[], access: ControlAccess): OpenApiDocument
}

/** The pages that the simulator serves. */
const pages = {
  index: { methods: ['GET'], path: pagePaths.index },
  controlDocument: { methods: ['GET'], path: pagePaths.controlDocument },
  health: { methods: ['GET'], path: pagePaths.health },
  live: { methods: ['GET'], path: pagePaths.live },
  ready: { methods: ['GET'], path: pagePaths.ready },
  advertiser: { methods: ['GET', 'POST'], path: pagePaths.advertiser },
  metrics: { methods: ['GET'], path: pagePaths.metrics },
  serviceDocument: { methods: ['GET'], path: pagePaths.serviceDocument },
  inbox: { methods: ['GET'], path: pagePaths.inbox },
} as const

type PageName = keyof typeof pages
type Params = Readonly<Record<string, string>>
type Show = (params: Params, request: HttpRequest) => Promise<HttpResponse | undefined>

export interface PagesOptions {
  readonly registry: TenantRegistry
  readonly urls: Urls
  readonly access: ControlAccess
  readonly call: RequestHandler
  /** True if the console, and with it the reference, is served too. */
  readonly hasConsole: boolean
  readonly version: string | undefined
  /** Returns the reason why the sandbox does not work; undefined if it does. */
  readonly problem: () => Promise<string | undefined>
  readonly renderMetrics: () => Promise<string>
  /** Real time, in milliseconds since 1970. */
  readonly now: () => number
  /** Loads the documents. Without it, their paths do not exist. */
  readonly documents?: (() => Promise<Documents>) | undefined
}

/** Creates the handler of the sandbox's pages. Returns undefined for any other path. */
export function createPages(options: PagesOptions) {
  const { registry, urls, access, problem, renderMetrics, documents, now } = options
  // A HEAD of the inbox, as link previews send, is not a callback.
  const route = createRouter<PageName>(pages, name => name !== 'inbox')
  const exampleOwner = createExampleOwner(registry, now)
  /** Returns the sandbox's health. Shows the problem, which may name files, only to callers of the control plane. */
  async function health(good: string, bad: string, request: HttpRequest): Promise<HttpResponse> {
    const found = await problem()
    if (found === undefined) return jsonResponse(200, { status: good })
    return jsonResponse(503, { status: bad, ...(refuseAccess(access, request.headers) ? {} : { problem: found }) })
  }
  const controlDocument = once(async () => {
    const server = { url: `${urls.origin}${sandboxPath}`, description: 'This sandbox.' }
    return documents && tagged((await documents()).controlDocument([server], access))
  })
  const show: Record<PageName, Show> = {
    index: async () => jsonResponse(200, indexOf(options)),
    async controlDocument(_, { headers }) {
      const refused = refuseOtherPages(headers, access.origin)
      return refused ? writeResponse(refused) : controlDocument()
    },
    health: (_, request) => health('ok', 'failing', request),
    live: async () => jsonResponse(200, { status: 'live' }),
    ready: (_, request) => health('ready', 'not_ready', request),
    // Loaded on the first redirect: a page with the sandbox in it rarely sees one.
    async advertiser({ lead_id = '', advertiser_id = '' }, request) {
      const { advertiserPage } = await import('./advertiser-page.ts')
      return advertiserPage(options, { lead_id, advertiser_id }, request)
    },
    async metrics(_, request) {
      const refused = refuseAccess(access, request.headers)
      if (refused) return writeResponse(refused)
      const body = await renderMetrics()
      return { status: 200, headers: { 'content-type': expositionType, 'cache-control': 'no-store' }, body }
    },
    async serviceDocument(_, { headers }) {
      const refused = refuseOtherPages(headers, access.origin)
      if (refused) return writeResponse(refused)
      const server = { url: urls.base, description: 'This sandbox.' }
      return documents && tagged((await documents()).serviceDocument([server], await exampleOwner()))
    },
    async inbox({ tenant: name = '' }, { target, headers }) {
      const refused = refusePages(access, headers)
      if (refused) return writeResponse(refused)
      const tenant = registry.find(name)
      return tenant && receiveCallback(tenant.inbox, { target, headers, received_at: tenant.clock.now() })
    },
  }

  return async (request: HttpRequest): Promise<HttpResponse | undefined> => {
    const [path = ''] = request.target.split('?', 1)
    const isIndex = path === '/' || path === sandboxPath
    if (!isIndex && !path.startsWith(`${sandboxPath}/`)) return undefined
    const match = route(request.method, isIndex ? '/' : path.slice(sandboxPath.length))
    if (!match) return undefined
    if ('operation' in match) {
      const response = await show[match.operation](match.params, request)
      return (
        response && { ...response, operation: match.operation, route: `${sandboxPath}${pages[match.operation].path}` }
      )
    }
    return writeResponse(methodNotAllowed(match.allow))
  }
}

/**
 * Returns the sandbox's index for a program that requests the bare address, such as a test runner that waits for the
 * sandbox.
 */
function indexOf({ urls: { origin, base }, hasConsole, documents, version }: PagesOptions): object {
  const at = (path: string) => `${origin}${sandboxPath}${path}`
  return {
    name: 'lead-sandbox',
    version,
    links: {
      service: base,
      control: `${origin}${controlPath}`,
      ...(hasConsole && { console: at('/'), reference: `${origin}${referencePath}` }),
      ...(documents && {
        service_document: at(pagePaths.serviceDocument),
        control_document: at(pagePaths.controlDocument),
      }),
      health: at(pagePaths.health),
    },
  }
}

/** Responds with a document and a strong ETag, so that clients can revalidate their copy. */
async function tagged(document: OpenApiDocument): Promise<HttpResponse> {
  const response = jsonResponse(200, document, { 'cache-control': 'no-cache' })
  const hash = toHex(await sha256(response.body))
  return { ...response, headers: { ...response.headers, etag: `"${hash.slice(0, 32)}"` } }
}

/** Returns the demo account with an unused e-mail address, and picks a new one once that is taken. */
function createExampleOwner(registry: Pick<TenantRegistry, 'find'>, now: () => number) {
  let owners = 0
  let email = ''
  return async (): Promise<ExampleOwner | undefined> => {
    const tenant = registry.find(demoName)
    const product = tenant?.record.products.find(({ active }) => active)
    if (!tenant || !product) return undefined
    const { product_id } = product
    const isFree =
      email !== '' &&
      // Serve the document even if the storage can't be read.
      (await tenant.storage
        .read(tables => tables.findCustomer(product_id, email))
        .then(
          customer => customer === undefined,
          () => false,
        ))
    if (!isFree) email = `ana-${now().toString(36)}-${++owners}@example.com`
    return { publisher_id: tenant.record.publisher.publisher_id, product_id, email }
  }
}

/** Returns a lazily initialized value. Retries after a failure. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
