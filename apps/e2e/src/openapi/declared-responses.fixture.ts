import ajvFormats from 'ajv-formats'
import { type Document, OpenAPIBackend } from 'openapi-backend'
import { type Adapter, type AdapterResponse, encodeRequest } from '../adapters/adapter.ts'

/** A request and its response, as they went over the wire. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON. */
  readonly body?: unknown
  readonly response: AdapterResponse
}

/** The parts of an OpenAPI document that are looked at here; the validator looks at all else. */
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

/** The paths of a document that are below one address. */
interface Declared {
  readonly base: string
  readonly paths: readonly { readonly pattern: RegExp; readonly literal: number; readonly item: PathItem }[]
  readonly validator: OpenAPIBackend
}

/** Compares exchanges with what OpenAPI documents declare; openapi-backend, which is not ours, judges their shapes. */
export class DeclaredResponses {
  /** Each response that was compared, such as `submitLead 200`. */
  readonly seen = new Set<string>()
  readonly #all: readonly Declared[]

  constructor(all: readonly Declared[]) {
    // The longest address first: that of the receiver of callbacks is above all others.
    this.#all = all.toSorted((one, other) => other.base.length - one.base.length)
  }

  /** Every response that the documents declare, such as `submitLead 200`. */
  declared(): string[] {
    return this.#all.flatMap(({ paths }) =>
      paths.flatMap(({ item }) =>
        operationsOf(item).flatMap(([, { operationId, responses }]) =>
          Object.keys(responses).map(status => `${operationId} ${status}`),
        ),
      ),
    )
  }

  /** How an exchange differs from what is declared; empty where it does not, or where no document has its path. */
  differences(exchange: Exchange): string[] {
    const [path = ''] = exchange.target.split('?', 1)
    const api = this.#all.find(({ base }) => path.startsWith(`${base}/`))
    const found = api?.paths.find(({ pattern }) => pattern.test(path.slice(api.base.length)))
    if (!api || !found || !canDecode(path)) return []
    const { method, response } = exchange
    const operations = operationsOf(found.item)
    const operation =
      operations.find(([name]) => name === method) ??
      // What no document mentions: HEAD is answered as GET without its body, or refused.
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
    // An explanation takes any lead: it says what is wrong with it.
    if (status >= 300 || operationId === 'explainLead') return all
    return [...all, ...requestDifferences(validator, operation, exchange)]
  }
}

/** Expects that the document allows every request that was accepted: its shapes are not narrower than the sandbox. */
function requestDifferences(validator: OpenAPIBackend, operation: OperationObject, exchange: Exchange): string[] {
  const { operationId, parameters = [] } = operation
  const { method, target, headers, body } = exchange
  const [path = '', query = ''] = target.split('?', 2)
  // A document does not forbid what else a query has; the validator does.
  const declared = parameters.map(({ name }) => name)
  const known = [...new URLSearchParams(query)].filter(([name]) => declared.includes(name))
  const request = { method, path, query: Object.fromEntries(known), headers: { ...headers }, body }
  return messagesOf(validator.validateRequest(request, operationId), 'the accepted request')
}

/** The path that stands for the receiver of callbacks. */
export const receiverPath = '/callback'

/** Reads the documents that a sandbox serves. */
export async function readDocuments(adapter: Pick<Adapter, 'request'>): Promise<DeclaredResponses> {
  const read = async (name: string) => (await adapter.request('GET', `/_sandbox/${name}`)).json
  return declaredBy([await read('service.openapi.json'), await read('openapi.json')])
}

/** The responses that the documents declare. */
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
    // It knows the shape of JSON bodies only: that of an event in a stream is looked at as one.
    definition: JSON.parse(
      JSON.stringify({ ...rest, servers: [{ url }], paths: Object.fromEntries(paths) }).replaceAll(
        'text/event-stream',
        'application/json',
      ),
    ) as Document,
    apiRoot: base === '' ? '/' : base,
    // It judges documents by the schema of 3.0; other tests judge ours by that of 3.1.
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
  // Of several templates that match, the one with the most text of its own counts: `/leads/explain` is no lead.
  return { base, validator, paths: patterns.toSorted((one, other) => other.literal - one.literal) }
}

function operationsOf(item: PathItem): [method: string, OperationObject][] {
  return Object.entries(item)
    .filter(([name]) => name !== 'parameters')
    .map(([name, operation]) => [name.toUpperCase(), operation])
}

/** Returns true if a fault or a scenario made the response. It may have any error status, which `default` declares. */
function isInjected({ json }: AdapterResponse): boolean {
  return typeof json?.message === 'string' && json.message.startsWith('This response is on purpose')
}

/** The response to a method that a path does not declare is a 405 that lists those that it does. */
function ofUnknownMethod(declared: readonly string[], { status, headers: { allow = '' } }: AdapterResponse): string[] {
  const listed = allow.split(', ')
  if (status !== 405) return [`${status} for a method that is not declared, only ${declared.join(', ')}`]
  return declared.every(method => listed.includes(method)) ? [] : [`allows ${allow} in place of ${declared.join(', ')}`]
}

type Verdict = ReturnType<OpenAPIBackend['validateResponse']>

function messagesOf({ errors }: Verdict, what: string): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    return `${what}${instancePath} ${message} ${JSON.stringify(params)}`
  })
}

/** An adapter whose exchanges are recorded. */
export interface Recorded {
  readonly adapter: Adapter
  /** How the exchanges differ from what the documents declare, each difference once. */
  differences(): string[]
}

/** How many exchanges are kept until they are compared. */
const maxKept = 2_000

/** Records the exchanges of an adapter. They are compared later: a test that measures time notices nothing. */
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
        // What a fault garbles is no response of the service.
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

/** A path that is no text names nothing that a parameter could stand for. */
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
