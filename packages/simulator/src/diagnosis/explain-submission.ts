// Loaded on demand, without what diagnoses postback URLs.
export { findNearMisses, withNearMisses } from '@lead-distribution/contract/diagnostics'
