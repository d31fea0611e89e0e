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
export { PathError } from './call-operation.ts'
export {
  type ConnectOptions,
  connectSandbox,
  createSandboxClient,
  type Sandbox,
  type SandboxClientOptions,
} from './connect-sandbox.ts'
export type { ControlClient, Tenant } from './control-client.ts'
export { type ConnectionErrorCode, ControlError } from './control-error.ts'
export type { EventOptions, SandboxEvent } from './event-stream.ts'
export type {
  Account,
  Callback,
  CallbackControl,
  ExplainOptions,
  TenantControl,
  UndoOptions,
} from './tenant-control.ts'
