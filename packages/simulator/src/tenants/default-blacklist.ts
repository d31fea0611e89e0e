import type { BlacklistEntry } from '@lead-distribution/engine'

/** The blacklist of a new tenant: a document number that nobody has, so that `blacklisted` can be had by real data. */
export const defaultBlacklist: readonly BlacklistEntry[] = [{ identification_number: 'BLACKLISTED-1' }]
