import {
  type FieldNotes,
  fieldNotes,
  type JsonSchema,
  type OpenApiDocument,
  openApiDocument,
  type Server,
  serviceComponents,
} from '@lead-distribution/contract/openapi'
import type { Operation } from '@lead-distribution/contract/shapes'
import type { ControlAccess } from './access.ts'
import { account, settingsChange } from './account.ts'
import { token } from './administration.ts'
import { callback, inboxMode } from './callbacks.ts'
import { clockState } from './clock.ts'
import { controlErrorNotes, controlErrorStatus } from './control-error.ts'
import { sandboxEvent } from './events.ts'
import { fault } from './faults.ts'
import { request } from './journal.ts'
import { lead, trace } from './leads.ts'
import { controlOperations } from './operations.ts'
import { operatorPages } from './operator-pages.ts'
import { settingsNotes } from './settings-notes.ts'
import { snapshot } from './snapshots.ts'

const description = `Tenants of a sandbox, and what a test controls: leads and their decisions, clock, callbacks, faults.
Nothing of it is part of the service, and no fault ever acts on it.`

const text = (description: string) => ({ description, schema: { type: 'string' } })
const id = (description: string) => ({ description, schema: { type: 'string', format: 'uuid' } })

/** What the parameters of the paths are, by name. */
const parameters: Readonly<Record<string, { description: string; schema: JsonSchema }>> = {
  tenant: text('Name of the tenant; `demo` always exists.'),
  lead_id: id('Id of the lead, as the reply to the submission gave it.'),
  callback_id: id('Id of the callback, as the list of callbacks shows it.'),
  fault_id: text('Id of the fault, as the reply that set it gave it.'),
  token_id: text('Id of the token, as the list of tokens shows it.'),
  host: text('A host that was allowed for the tenant, as the list of hosts shows it.'),
  request_id: text('Id of the call, as the list of calls shows it.'),
  name: text('Name of the snapshot.'),
}

/** The description of each tag. */
const tags = {
  tenants: 'Isolated accounts: create, change, reset and delete them.',
  tokens: 'Tokens that open one tenant of a shared sandbox.',
  hosts: "Where a tenant's callbacks may go besides this machine.",
  leads: 'Leads and the reasons for their decisions.',
  callbacks: 'The callbacks to the publisher, with every attempt.',
  inbox: "The sandbox's own receiver of callbacks.",
  clock: "A tenant's virtual clock.",
  faults: 'Failures of the service and of callbacks that a test asks for.',
  requests: 'The journal of requests to the service.',
  coverage: 'What has been seen of all that the service can respond.',
  diagnose: 'What is wrong with a postback URL.',
  snapshots: 'Whole tenants saved under a name.',
  events: 'What happens, while it happens.',
  operation: 'Health and metrics, for whoever runs the sandbox.',
}

/** The OpenAPI 3.1 document of the control plane, for these base addresses and this access. */
export function controlDocument(servers: readonly Server[], access: ControlAccess): OpenApiDocument {
  const operations = Object.entries<Operation<string>>(controlOperations).map(
    ([name, operation]) => [name, { ...operation, errors: everyError(operation) }] as const,
  )
  // Declared without a token too: a client that was generated on this machine then works with a shared sandbox.
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
    errorStatus: controlErrorStatus,
    errorNotes: controlErrorNotes,
    optionalBody: true,
    security: { none: security },
  })
  const ofMetrics = [...(security.optional ? [{}] : []), { [adminToken.name]: [] }]
  return { ...document, paths: { ...document.paths, ...operatorPages(servers, ofMetrics) } }
}

/** No operation asks for a credential of the service; all of them ask for the token where there is one. */
const adminToken = {
  name: 'adminToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description: 'What the sandbox was started with as --admin-token, or a token of a tenant for that tenant.',
  },
}

/** The errors of a row, and those that every operation has. */
function everyError({ errors, in: place, path }: Operation<string>): string[] {
  const ofBody = place === 'body' ? ['malformed_json', 'payload_too_large', 'unsupported_media_type'] : []
  const ofTenant = path.includes('/:tenant') ? ['tenant_broken'] : []
  const ofAll = ['validation_error', 'unauthorized', 'forbidden', 'internal_error', 'service_unavailable']
  return [...new Set([...errors, ...ofTenant, ...ofBody, ...ofAll])]
}

/** `/tenants/:tenant/leads/:lead_id` belongs to the leads; `/tenants/:tenant`, its reset and its raw export, to the tenants. */
function tagOf({ path }: Operation<string>): string {
  const [, tenants = '', , below] = path.split('/')
  return below === undefined || below === 'reset' || below === 'raw' ? tenants : below
}

const { LeadSubmission, Customer, PersonalData, Contact, EmailContact, PhoneContact } = serviceComponents
const { Address, Profile, FinancialInstrument, LoanProductData } = serviceComponents
const { Consents, ConsentEntry, ConsentMetadata, Tracking } = serviceComponents

/** A submission, which is explained as it would be sent, with all that it holds. */
const submission = {
  LeadSubmission,
  Customer,
  PersonalData,
  Contact,
  EmailContact,
  PhoneContact,
  Address,
  Profile,
  FinancialInstrument,
  LoanProductData,
  Consents,
  ConsentEntry,
  ConsentMetadata,
  Tracking,
}

/** The shapes of the control plane that have a name. */
const controlComponents = {
  Account: account,
  SettingsChange: settingsChange,
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
  ...submission,
}

const described = (description: string) => ({ description, fields: {} })

/** What the named shapes are. */
const controlNotes: FieldNotes = {
  ...fieldNotes,
  Account: described('An account with the keys and secrets that its user integrates with.'),
  SettingsChange: { description: 'Some of the settings: what the specification leaves open.', fields: settingsNotes },
  Lead: described('A lead with the trace of its decision, its deliveries, events and callbacks.'),
  Trace: described('Every check of a decision in its order, with what it looked at.'),
  Callback: described('A notification of the publisher, with every try of it.'),
  InboxMode: described("How a tenant's own inbox answers, and how many more times."),
  Clock: described("The state of a tenant's clock."),
  Fault: described('A fault, with how often it matched and acted.'),
  Request: described('A call of the service: what was decided, and nothing of what was sent.'),
  Snapshot: described('A snapshot by its name, with the real time of saving.'),
  Token: described('A token that opens one tenant, without its text.'),
}
