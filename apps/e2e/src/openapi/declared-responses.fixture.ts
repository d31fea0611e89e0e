import ajvFormats from 'ajv-formats'
import { type Document, OpenAPIBackend } from 'openapi-backend'
import { type Adapter, type AdapterResponse, encodeRequest } from '../adapters/adapter.ts'

/** A request and its response, as sent over the wire. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed if it is JSON. */
  readonly body?: unknown
  readonly response: AdapterResponse
}

/** The parts of an OpenAPI document that this file reads. The validator reads the rest. */
interface OpenApi {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks?: Readonly<Record<string, PathItem>>
}

type PathItem = Readonly<Record<string, OperationObject>>

interface OperationObject {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, ResponseObject>>
}

interface ResponseObject {
  readonly content?: Readonly<Record<string, object>>
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>
}

/** A document's paths below one address. */
interface Declared {
  readonly base: string
  readonly paths: readonly { readonly pattern: RegExp; readonly literal: number; readonly item: PathItem }[]
  readonly validator: OpenAPIBackend
}

/** Compares exchanges with OpenAPI documents. openapi-backend validates the shapes. */
export class DeclaredResponses {
  /** Compared responses, such as `submitLead 200`. */
  readonly seen = new Set<string>()
  readonly #all: readonly Declared[]

  constructor(all: readonly Declared[]) {
    // The longest address first, because the callback receiver's is above all others.
    this.#all = all.toSorted((one, other) => other.base.length - one.base.length)
  }

  /** Declared responses, such as `submitLead 200`. */
  declared(): string[] {
    return this.#all.flatMap(({ paths }) =>
      paths.flatMap(({ item }) =>
        operationsOf(item).flatMap(([, { operationId, responses }]) =>
          Object.keys(responses).map(status => `${operationId} ${status}`),
        ),
      ),
    )
  }

  /** Returns how an exchange differs from its declaration. Empty if it does not, or if no document has its path. */
  differences(exchange: Exchange): string[] {
    const [path = ''] = exchange.target.split('?', 1)
    const api = this.#all.find(({ base }) => path.startsWith(`${base}/`))
    const found = api?.paths.find(({ pattern }) => pattern.test(path.slice(api.base.length)))
    if (!api || !found || !canDecode(path)) return []
    const { method, response } = exchange
    const operations = operationsOf(found.item)
    const operation =
      operations.find(([name]) => name === method) ??
      // Not in any document: HEAD responds like GET without a body, or is refused.
      (method === 'HEAD' && response.status !== 405 && operations.find(([name]) => name === 'GET'))
    const differences = operation
      ? this.#ofOperation(api, operation[1], exchange)
      : ofUnknownMethod(
          operations.map(([name]) => name),
          response,
        )
    return differences.map(difference => `${method} ${operation ? operation[1].operationId : path}: ${difference}`)
  }

  #ofOperation({ validator }: Declared, operation: OperationObject, exchange: Exchange): string[] {
    const { operationId, responses } = operation
    const { method, response } = exchange
    const { status, headers, json } = response
    const declared = [String(status), `${Math.floor(status / 100)}XX`, ...(isInjected(response) ? ['default'] : [])]
    const key = declared.find(each => each in responses) ?? ''
    const found = responses[key]
    if (!found) return [`${status} is not declared, only ${Object.keys(responses).join(', ')}`]
    this.seen.add(`${operationId} ${key}`)
    const all = messagesOf(
      validator.validateResponseHeaders({ ...headers } as never, operationId, { statusCode: status }),
      `a header of ${status}`,
    )
    if (method !== 'HEAD' && found.content) {
      const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
      if (!(type in found.content)) return [...all, `${status} is ${type}, which is not declared`]
      if (type.endsWith('json') || json !== undefined)
        all.push(...messagesOf(validator.validateResponse(json, operationId, status), `the body of ${status}`))
    }
    // An explanation accepts any lead and says what is wrong with it.
    if (status >= 300 || operationId === 'explainLead') return all
    return [...all, ...requestDifferences(validator, operation, exchange)]
  }
}

/** Expects that the document allows every accepted request, so that its shapes are not narrower than the sandbox. */
function requestDifferences(validator: OpenAPIBackend, operation: OperationObject, exchange: Exchange): string[] {
  const { operationId, parameters = [] } = operation
  const { method, target, headers, body } = exchange
  const [path = '', query = ''] = target.split('?', 2)
  // The validator forbids other query parameters, but a document does not.
  const declared = parameters.map(({ name }) => name)
  const known = [...new URLSearchParams(query)].filter(([name]) => declared.includes(name))
  const request = { method, path, query: Object.fromEntries(known), headers: { ...headers }, body }
  return messagesOf(validator.validateRequest(request, operationId), 'the accepted request')
}

/** The placeholder path of the callback receiver. */
export const receiverPath = '/callback'

/** Reads a sandbox's OpenAPI documents. */
export async function readDocuments(adapter: Pick<Adapter, 'request'>): Promise<DeclaredResponses> {
  const read = async (name: string) => (await adapter.request('GET', `/_sandbox/${name}`)).json
  return declaredBy([await read('service.openapi.json'), await read('openapi.json')])
}

/** The declared responses. */
export async function declaredBy(documents: readonly object[]): Promise<DeclaredResponses> {
  const all = (documents as readonly OpenApi[]).flatMap(document => {
    const webhooks = Object.values(document.webhooks ?? {}).map((item): [string, PathItem] => [receiverPath, item])
    const addresses = [
      [document.servers[0]?.url ?? '', Object.entries(document.paths)],
      ['http://127.0.0.1', webhooks],
    ] as const
    return addresses.map(([url, paths]) => declaredBelow(document, url, paths))
  })
  return new DeclaredResponses(await Promise.all(all))
}

async function declaredBelow(
  document: OpenApi,
  url: string,
  paths: readonly (readonly [string, PathItem])[],
): Promise<Declared> {
  const base = new URL(url).pathname.replace(/\/$/, '')
  const { webhooks: _, ...rest } = document
  const validator = new OpenAPIBackend({
    // The validator knows only JSON bodies, so a stream's event is checked as one.
    definition: JSON.parse(
      JSON.stringify({ ...rest, servers: [{ url }], paths: Object.fromEntries(paths) }).replaceAll(
        'text/event-stream',
        'application/json',
      ),
    ) as Document,
    apiRoot: base === '' ? '/' : base,
    // The validator uses the schema of OpenAPI 3.0. Other tests check our documents against 3.1.
    quick: true,
    coerceTypes: true,
    customizeAjv(ajv) {
      return ajvFormats.default(ajv)
    },
  })
  await validator.init()
  const patterns = paths.map(([path, item]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    literal: path.replace(/\{\w+\}/g, '').length,
    item,
  }))
  // Of several matching templates, the one with the most literal text wins: `/leads/explain` is not a lead.
  return { base, validator, paths: patterns.toSorted((one, other) => other.literal - one.literal) }
}

function operationsOf(item: PathItem): [method: string, OperationObject][] {
  return Object.entries(item)
    .filter(([name]) => name !== 'parameters')
    .map(([name, operation]) => [name.toUpperCase(), operation])
}

/** Returns true if a fault or a scenario made the response. It may have any error status, which `default` declares. */
function isInjected({ json }: AdapterResponse): boolean {
  return typeof json?.message === 'string' && json.message.startsWith('This response was injected')
}

/** Checks that an undeclared method gets a 405 that lists the declared ones. */
function ofUnknownMethod(declared: readonly string[], { status, headers: { allow = '' } }: AdapterResponse): string[] {
  const listed = allow.split(', ')
  if (status !== 405) return [`${status} for an undeclared method, expected only ${declared.join(', ')}`]
  return declared.every(method => listed.includes(method)) ? [] : [`allows ${allow} instead of ${declared.join(', ')}`]
}

type Verdict = ReturnType<OpenAPIBackend['validateResponse']>

function messagesOf({ errors }: Verdict, what: string): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    return `${what}${instancePath} ${message} ${JSON.stringify(params)}`
  })
}

/** An adapter that records its exchanges. */
export interface Recorded {
  readonly adapter: Adapter
  /** Returns how the exchanges differ from the documents, each difference once. */
  differences(): string[]
}

/** The number of exchanges to buffer before comparing. */
const maxKept = 2_000

/** Records an adapter's exchanges. They are compared later, so that the work does not affect measured times. */
export function recorded(adapter: Adapter, documents: DeclaredResponses): Recorded {
  const differences = new Set<string>()
  const exchanges: Exchange[] = []
  const compare = () => {
    for (const exchange of exchanges.splice(0))
      for (const difference of documents.differences(exchange)) differences.add(difference)
  }
  return {
    differences() {
      compare()
      return [...differences]
    },
    adapter: {
      ...adapter,
      async request(method, target, options = {}) {
        const response = await adapter.request(method, target, options)
        // A garbled response is a fault's, not the service's.
        if (isGarbled(response)) return response
        const { headers, body } = encodeRequest(options)
        exchanges.push({ method, target, headers, body: parsed(new TextDecoder().decode(body)), response })
        if (exchanges.length === maxKept) compare()
        return response
      },
    },
  }
}

function isGarbled({ headers, text, json }: AdapterResponse): boolean {
  return json === undefined && text !== '' && (headers['content-type'] ?? '').startsWith('application/json')
}

/** A path that is not text cannot match a parameter. */
function canDecode(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}
