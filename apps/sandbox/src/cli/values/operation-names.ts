import type { OperationName } from '@lead-distribution/contract/shapes'

/** The operations of the service. Written here again, since loading the contract for them takes longer than the verb. */
const all: Readonly<Record<OperationName, true>> = { submitLead: true, reportStatus: true, reportEvent: true }

/** The operations of the service, by name. */
export const operationNames = Object.keys(all)
