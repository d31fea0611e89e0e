import type { ControlOperationName, ControlOperations } from '@lead-distribution/simulator'

/** The method and path of an operation, as the operations table declares them. */
export type RouteOf<Name extends ControlOperationName> =
  `${ControlOperations[Name]['methods'][0]} ${ControlOperations[Name]['path']}`

/** Method and path of every operation of the control plane. */
export type Routes = { readonly [Name in ControlOperationName]: RouteOf<Name> }

/**
 * The routes of the control plane. The declarations of the operations hold shapes of zod, which a client does not
 * need: they are imported only as types, and the compiler holds this table to them.
 */
export const routes = {
  createTenant: 'POST /tenants',
  listTenants: 'GET /tenants',
  showTenant: 'GET /tenants/:tenant',
  changeTenant: 'PATCH /tenants/:tenant',
  deleteTenant: 'DELETE /tenants/:tenant',
  undeleteTenant: 'POST /tenants/:deleted/undelete',
  exportRaw: 'GET /tenants/:tenant/raw',
  resetTenant: 'POST /tenants/:tenant/reset',
  createToken: 'POST /tenants/:tenant/tokens',
  listTokens: 'GET /tenants/:tenant/tokens',
  revokeToken: 'DELETE /tenants/:tenant/tokens/:token_id',
  allowHost: 'POST /tenants/:tenant/hosts',
  listHosts: 'GET /tenants/:tenant/hosts',
  removeHost: 'DELETE /tenants/:tenant/hosts/:host',
  listLeads: 'GET /tenants/:tenant/leads',
  explainLead: 'POST /tenants/:tenant/leads/explain',
  reproduceSubmission: 'POST /tenants/:tenant/leads/repro',
  showLead: 'GET /tenants/:tenant/leads/:lead_id',
  reproduceLead: 'GET /tenants/:tenant/leads/:lead_id/repro',
  triggerEvent: 'POST /tenants/:tenant/leads/:lead_id/trigger',
  listCallbacks: 'GET /tenants/:tenant/callbacks',
  waitForCallback: 'GET /tenants/:tenant/callbacks/wait',
  recoverCallbacks: 'POST /tenants/:tenant/callbacks/recover',
  sendCallback: 'POST /tenants/:tenant/callbacks',
  showCallback: 'GET /tenants/:tenant/callbacks/:callback_id',
  resendCallback: 'POST /tenants/:tenant/callbacks/:callback_id/resend',
  startListener: 'POST /tenants/:tenant/listener',
  takeCallbacks: 'POST /tenants/:tenant/listener/:listener_id/take',
  reportForwarded: 'POST /tenants/:tenant/listener/:listener_id/deliveries/:delivery_id',
  endListener: 'DELETE /tenants/:tenant/listener/:listener_id',
  showInbox: 'GET /tenants/:tenant/inbox',
  changeInbox: 'PATCH /tenants/:tenant/inbox',
  showClock: 'GET /tenants/:tenant/clock',
  showAgenda: 'GET /tenants/:tenant/clock/agenda',
  changeClock: 'POST /tenants/:tenant/clock',
  advanceClock: 'POST /tenants/:tenant/clock/advance',
  addFault: 'POST /tenants/:tenant/faults',
  listFaults: 'GET /tenants/:tenant/faults',
  clearFaults: 'DELETE /tenants/:tenant/faults',
  removeFault: 'DELETE /tenants/:tenant/faults/:fault_id',
  listRequests: 'GET /tenants/:tenant/requests',
  showRequest: 'GET /tenants/:tenant/requests/:request_id',
  saveSnapshot: 'POST /tenants/:tenant/snapshots',
  listSnapshots: 'GET /tenants/:tenant/snapshots',
  restoreSnapshot: 'POST /tenants/:tenant/snapshots/:name/restore',
  deleteSnapshot: 'DELETE /tenants/:tenant/snapshots/:name',
  exportSnapshot: 'GET /tenants/:tenant/snapshots/:name/file',
  importSnapshot: 'POST /tenants/:tenant/snapshots/:name/file',
  showActivity: 'GET /tenants/:tenant/activity',
  showCoverage: 'GET /tenants/:tenant/coverage',
  showCoverageOfAll: 'GET /coverage',
  diagnosePostback: 'POST /tenants/:tenant/diagnose',
  streamEvents: 'GET /tenants/:tenant/events',
  streamAllEvents: 'GET /events',
} as const satisfies Routes
