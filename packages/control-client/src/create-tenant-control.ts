import { scenarioHeader } from '@lead-distribution/simulator/paths'
import type { CallOperation, StreamOperation } from './call-operation.ts'
import { waitForCallback } from './callback-control.ts'
import type { TenantControl } from './tenant-control.ts'

/** Makes the control plane of the tenant of this name; sends nothing. */
export function createTenantControl(call: CallOperation, stream: StreamOperation, tenant: string): TenantControl {
  const of = { tenant }
  const update: TenantControl['update'] = change => call('changeTenant', of, change)
  return {
    name: tenant,
    leads: {
      list: filter => call('listLeads', of, filter),
      show: lead_id => call('showLead', { tenant, lead_id }),
      explain: (submission, { scenario } = {}) =>
        call('explainLead', of, submission, scenario === undefined ? {} : { headers: { [scenarioHeader]: scenario } }),
      trigger: (lead_id, report) => call('triggerEvent', { tenant, lead_id }, report),
    },
    callbacks: {
      list: filter => call('listCallbacks', of, filter),
      show: callback_id => call('showCallback', { tenant, callback_id }),
      resend: callback_id => call('resendCallback', { tenant, callback_id }),
      recover: since => call('recoverCallbacks', of, since),
      hold: () => update({ callbacks_held: true }),
      release: () => update({ callbacks_held: false }),
      wait: wanted => waitForCallback(call, tenant, wanted),
    },
    inbox: {
      show: filter => call('showInbox', of, filter),
      change: mode => call('changeInbox', of, mode),
    },
    clock: {
      show: () => call('showClock', of),
      agenda: () => call('showAgenda', of),
      freeze: () => call('changeClock', of, { freeze: true }),
      set: time => call('changeClock', of, { set: time }),
      resume: () => call('changeClock', of, { resume: true }),
      advance: advance => call('advanceClock', of, advance),
    },
    faults: {
      add: fault => call('addFault', of, fault),
      list: () => call('listFaults', of),
      remove: fault_id => call('removeFault', { tenant, fault_id }),
      clear: () => call('clearFaults', of),
    },
    requests: {
      list: filter => call('listRequests', of, filter),
      show: request_id => call('showRequest', { tenant, request_id }),
    },
    snapshots: {
      save: name => call('saveSnapshot', of, { name }),
      list: () => call('listSnapshots', of),
      restore: name => call('restoreSnapshot', { tenant, name }),
      delete: name => call('deleteSnapshot', { tenant, name }),
      export: name => call('exportSnapshot', { tenant, name }),
      import: (name, file) => call('importSnapshot', { tenant, name }, file),
    },
    tokens: {
      create: token => call('createToken', of, token),
      list: () => call('listTokens', of),
      revoke: token_id => call('revokeToken', { tenant, token_id }),
    },
    hosts: {
      allow: host => call('allowHost', of, { host }),
      list: () => call('listHosts', of),
      remove: host => call('removeHost', { tenant, host }),
    },
    coverage: () => call('showCoverage', of),
    events: options => stream('streamEvents', of, options),
    diagnosePostback: url => call('diagnosePostback', of, { url }),
    show: () => call('showTenant', of),
    update,
    raw: () => call('exportRaw', of),
    reset: () => call('resetTenant', of),
    delete: () => call('deleteTenant', of),
  }
}
