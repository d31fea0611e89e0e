/**
 * The client without HTTP and without ky, for a sandbox that is reached in another way.
 * @module @lead-distribution/control-client/core
 */

export { createTestLeads } from '@lead-distribution/contract/test-leads'
export {
  type FaultEffectKind,
  type FaultEffectName,
  type FaultPreset,
  type FaultPresetField,
  type FaultPresetFieldName,
  type FaultPresetName,
  type FaultPresetValues,
  faultEffects,
  faultEffectsOn,
  faultPresetFields,
  faultPresets,
  type PresetFault,
} from '@lead-distribution/simulator/paths'
export { type CallOperation, type CallOptions, type ControlRequest, PathError, type Send } from './call-operation.ts'
export {
  type ControlClient,
  createControlClient,
  createPlainClient,
  type PlainControlClient,
  type PlainTenant,
  type Tenant,
} from './control-client.ts'
export { type ConnectionErrorCode, ControlError, connectionFailure, redirectMessage } from './control-error.ts'
export type { EventOptions, SandboxEvent } from './event-stream.ts'
export { type RouteOf, type Routes, routes } from './routes.ts'
export type {
  Account,
  Callback,
  CallbackControl,
  ExplainOptions,
  TenantControl,
  UndoOptions,
} from './tenant-control.ts'
