/** Explains what is wrong with a lead or a postback URL. Needs no zod, and looks at a bounded part of any input. */
export { closest, namedWithin, textDistance } from './closest-name.ts'
export {
  type AccountIds,
  findNearMisses,
  maxNearMisses,
  type NearMiss,
  withNearMisses,
} from './near-misses.ts'
export {
  decoded,
  diagnoseEvent,
  diagnoseKey,
  diagnoseLeadId,
  diagnoseOrigin,
  diagnoseParameters,
  diagnosePath,
  diagnoseRef,
  diagnoseUrl,
  findingOf,
  isPlaceholder,
  mistakenName,
  type PostbackCheck,
  type PostbackFinding,
} from './postback.ts'
