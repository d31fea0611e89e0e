import {
  type DocumentOptions,
  type FieldNotes,
  fieldNotes,
  type OpenApiDocument,
  openApiDocument,
  type Server,
  submissionComponents,
} from '@lead-distribution/contract/openapi'
import {
  account,
  blacklistEntry,
  type Operation,
  scheduledEvent,
  settingsChange,
  tokenFormat,
} from '@lead-distribution/contract/shapes'
import {
  advertiserChange,
  advertiserCriteriaChange,
  productChange,
  productCriteriaChange,
  publisherChange,
} from '../tenants/change-tenant.ts'
import { controlPath, operatorPaths, sandboxPath } from '../urls.ts'
import type { ControlAccess } from './access.ts'
import { token } from './administration.ts'
import { clockState } from './clock.ts'
import { controlErrorNotes, controlErrorStatus } from './control-error.ts'
import { sandboxEvent } from './events.ts'
import { fault } from './faults.ts'
import { controlOperations } from './operations.ts'
import { callback, inboxMode, lead, request, trace } from './shapes.ts'
import { snapshot } from './snapshots.ts'

const description = `Controls the tenants of a sandbox: leads and their decisions, clock, callbacks, faults.
It is not part of the service, and faults never affect it.`

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const id = (description: string, example: string) => ({
  description,
  schema: { type: 'string', format: 'uuid' },
  example,
})

const lead_id = '7d9b0a52-6c1e-4a0f-8b39-5a4c7e2f9d10'

/** The parameters of the paths, by name. */
const parameters: NonNullable<DocumentOptions['parameters']> = {
  tenant: text('Name of the tenant; `demo` always exists.', 'demo'),
  lead_id: id('Id of the lead, from the response to the submission.', lead_id),
  callback_id: id('Id of the callback, from the list of callbacks.', '2c8f4a16-93d7-4e5b-a0c1-6b7d8e9f0a12'),
  listener_id: text('Id of the listener, from the response that started it.', '3f9a1c7e5b2d4806'),
  delivery_id: text('Id of the delivery, from the response with the callbacks to forward.', '1779028200000-1'),
  fault_id: text('Id of the fault, from the response that added it.', 'f1'),
  token_id: text('Id of the token, from the list of tokens.', '9c2e7a41d05b'),
  host: text('Host that was allowed for the tenant, from the list of hosts.', 'qa.example'),
  request_id: text('Id of the request, from the list of requests.', 'r42'),
  name: text('Name of the snapshot.', 'before-the-release'),
}

const tags = {
  tenants: 'Isolated accounts: create, change, reset and delete them.',
  tokens: 'Tokens that open one tenant of a shared sandbox.',
  session: "The caller, and the console's cookie on a shared sandbox.",
  hosts: "Hosts besides this machine that a tenant's callbacks may go to.",
  leads: 'Leads and the reasons for their decisions.',
  callbacks: 'The callbacks to the publisher, with every attempt.',
  listener: 'A program that forwards callbacks to a receiver that the sandbox cannot reach.',
  inbox: "The sandbox's own receiver of callbacks.",
  clock: "A tenant's virtual clock.",
  faults: 'Failures to inject into the service and into callbacks.',
  requests: 'The journal of requests to the service.',
  submissions: 'Leads, and the rejections that created none.',
  activity: 'Counts of the last hour or day, for charts.',
  coverage: "The integration's coverage of all possible responses and events.",
  diagnose: 'Diagnosis of a postback URL.',
  snapshots: 'Whole tenants saved under a name.',
  events: 'Live events.',
  operation: 'Health and metrics, for operators.',
}

/** The control plane's path below the sandbox's. */
const prefix = controlPath.slice(sandboxPath.length)

/**
 * Returns the OpenAPI 3.1 document of the control plane, for this access. `servers`: the addresses of `/_sandbox`, the
 * common base of the control plane and the operators' pages, because generated clients use one server per document.
 */
export function controlDocument(servers: readonly Server[], access: ControlAccess): OpenApiDocument {
  const operations = Object.entries<Operation<string>>(controlOperations).map(
    ([name, operation]) =>
      [name, { ...operation, path: `${prefix}${operation.path}`, errors: everyError(operation) }] as const,
  )
  // Declared even without a token, so that a client generated on this machine also works with a shared sandbox.
  const security = { ...adminToken, optional: access.adminToken === undefined }
  const document = openApiDocument({
    title: 'Control plane of the lead distribution sandbox',
    version: '1.0.0',
    description: description.replaceAll('\n', ' '),
    servers,
    operations: Object.fromEntries(operations),
    tagOf,
    tags,
    components: controlComponents,
    notes: controlNotes,
    parameters,
    queryExamples: { lead_id },
    errorStatus: controlErrorStatus,
    errorNotes: controlErrorNotes,
    optionalBody: true,
    security: { other: security },
  })
  const ofMetrics = [...(security.optional ? [{}] : []), { [adminToken.name]: [] }]
  return { ...document, paths: { ...document.paths, ...operatorPages(ofMetrics) } }
}

/** No operation requires a service credential; all require the token if one is set. */
const adminToken = {
  name: 'adminToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description: "The sandbox's --admin-token or, for one tenant, a token of that tenant.",
  },
}

function everyError({ errors, in: place, path }: Operation<string>): string[] {
  const ofBody = place === 'body' ? ['malformed_json', 'payload_too_large', 'unsupported_media_type'] : []
  const ofTenant = path.includes('/:tenant') ? ['not_found', 'tenant_broken'] : []
  const ofAll = ['validation_error', 'unauthorized', 'forbidden', 'internal_error', 'service_unavailable', 'overloaded']
  return [...new Set([...errors, ...ofTenant, ...ofBody, ...ofAll])]
}

/** The path segments below a tenant that concern the tenant as a whole. */
const ofWholeTenants = ['reset', 'raw', 'preview']

/** `/tenants/:tenant/leads/:lead_id` belongs to the leads; `/tenants/:tenant` and its reset to the tenants. */
function tagOf({ path }: Operation<string>): string {
  const [, tenants = '', , below] = path.slice(prefix.length).split('/')
  return below === undefined || ofWholeTenants.includes(below) ? tenants : below
}

/** The named shapes of the control plane. */
const controlComponents = {
  Account: account,
  SettingsChange: settingsChange,
  TokenFormat: tokenFormat,
  ScheduledEvent: scheduledEvent,
  PublisherChange: publisherChange,
  ProductChange: productChange,
  ProductCriteria: productCriteriaChange,
  AdvertiserChange: advertiserChange,
  AdvertiserCriteria: advertiserCriteriaChange,
  BlacklistEntry: blacklistEntry,
  Lead: lead,
  Trace: trace,
  Callback: callback,
  InboxMode: inboxMode,
  Clock: clockState,
  Fault: fault,
  Request: request,
  Snapshot: snapshot,
  Token: token,
  SandboxEvent: sandboxEvent,
  // Explaining accepts the same body as submitting.
  ...submissionComponents,
}

const described = (description: string) => ({ description, fields: {} })

/** The descriptions of the named shapes. */
const controlNotes: FieldNotes = {
  ...fieldNotes,
  Account: described('An account with the keys and secrets needed to integrate.'),
  SettingsChange: described('Some of the settings: interpretations of the open points of the specification.'),
  TokenFormat: described('The format of the token in a postback URL.'),
  ScheduledEvent: described('An event that the simulated advertiser reports by itself.'),
  PublisherChange: described(
    "A change to the publisher. Choosing the key or the secret requires the sandbox's admin token.",
  ),
  ProductChange: described('A product to change or, if no product has this id, to add. A new product needs a name.'),
  AdvertiserChange: described(
    'An advertiser to change or, if no advertiser has this id, to add. A new advertiser needs a name.',
  ),
  BlacklistEntry: described('A customer to reject. One matching value is enough.'),
  Lead: described('A lead with the trace of its decision, its deliveries, events and callbacks.'),
  Trace: described('Every check of a decision, in order, with its input.'),
  Callback: described('A notification to the publisher, with every attempt.'),
  InboxMode: described("The status that a tenant's inbox responds with, and how many more times."),
  Clock: described("The state of a tenant's clock."),
  Fault: described(
    'A fault: the number of requests or callback attempts that it matched, the number that it acted on, and when it acts next.',
  ),
  Request: described('A request to the service, with the decision on it but without its content.'),
  Snapshot: described('A snapshot, with the real time at which it was saved.'),
  Token: described('A token that opens one tenant, without its secret text.'),
}

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const error = (description = '') => json(description, { $ref: '#/components/schemas/ErrorResponse' })

/** Returns a response with a status, and an optional problem. */
function statusReply(description: string, status: string, problem: object = {}): object {
  const properties = { status: { const: status }, ...problem }
  return json(description, { type: 'object', properties, required: ['status'] })
}

const problem = {
  problem: { type: 'string', description: 'The problem; only for callers with access, because it may name files.' },
}
const failing = (status: string) => ({
  '503': statusReply('The sandbox is closing, or its storage does not accept writes.', status, problem),
})

/** Returns the OpenAPI paths of the operators' pages. `security` applies to the metrics. */
function operatorPages(security: object[]): OpenApiDocument['paths'] {
  const page = ({ replies, needed = [], ...about }: Page) => ({
    parameters: [],
    get: {
      ...about,
      tags: ['operation'],
      security: needed,
      responses: { ...replies, '405': error('`method_not_allowed`: the method is neither GET nor HEAD.') },
    },
  })
  const plainText = { 'text/plain': { schema: { type: 'string' } } }
  return {
    [operatorPaths.health]: page({
      operationId: 'showHealth',
      summary: 'Show the health',
      description: 'Reports the health of the sandbox.',
      replies: { '200': statusReply('The sandbox works.', 'ok'), ...failing('failing') },
    }),
    [operatorPaths.live]: page({
      operationId: 'showLiveness',
      summary: 'Show the liveness',
      description: 'Responds while the process is running.',
      replies: { '200': statusReply('The process is running.', 'live') },
    }),
    [operatorPaths.ready]: page({
      operationId: 'showReadiness',
      summary: 'Show the readiness',
      description: 'Reports if the sandbox can handle requests.',
      replies: { '200': statusReply('The sandbox can handle requests.', 'ready'), ...failing('not_ready') },
    }),
    [operatorPaths.metrics]: page({
      operationId: 'showMetrics',
      summary: 'Show the metrics',
      description: 'Returns metrics for Prometheus.',
      replies: {
        '200': { description: 'The text format of Prometheus.', content: plainText },
        '401': error(`\`unauthorized\`: ${controlErrorNotes.unauthorized}`),
        '403': error(`\`forbidden\`: ${controlErrorNotes.forbidden}`),
      },
      needed: security,
    }),
  }
}

interface Page {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly replies: object
  readonly needed?: object[]
}
