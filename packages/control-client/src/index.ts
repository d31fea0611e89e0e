/**
 * Control a running sandbox from tests.
 * @module @lead-distribution/control-client
 */

export {
  type BuildLead,
  type BuildPair,
  type BuildRequest,
  createTestLeads,
  type LeadChanges,
  type LeadPair,
  requestsOf,
  type Scenario,
  type ScenarioWord,
  scenarioWords,
  type TestLead,
  type TestLeadOptions,
  type TestLeads,
  type TestRequest,
} from '@lead-distribution/contract/test-leads'
export type { ControlRequest, ExplainOptions, Method, Options, Send } from './call-operation.ts'
export {
  type ConnectOptions,
  connectSandbox,
  createSandboxClient,
  type Sandbox,
  type SandboxClientOptions,
} from './connect-sandbox.ts'
export { type ControlClient, createControlClient, type Tenant } from './control-client.ts'
export { type ConnectionErrorCode, ControlError, PathError } from './errors.ts'
export type { EventOptions, SandboxEvent } from './events.ts'
export { sendOverHttp } from './send-over-http.ts'
export type { Account, Callback, TenantControl } from './tenant-control.ts'
