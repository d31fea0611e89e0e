import type { ErrorCode } from '@lead-distribution/contract'
import type { Operation } from '@lead-distribution/contract/shapes'
import * as z from 'zod/mini'
import { controlBounds } from '../paths.ts'
import type { controlErrorStatus } from './control-error.ts'

/** An operation of the control plane; its errors are the service's and those of the control plane. */
export type ControlOperation = Operation<ErrorCode | keyof typeof controlErrorStatus>

/** What the operations of the control plane have in common: no credential of the service, and a thing that may not exist. */
export const operationDefaults = { spec: 'sandbox', key: 'none', in: 'none', errors: ['not_found'] } as const

/** The defaults of an operation that takes a body. */
export const withBody = { ...operationDefaults, in: 'body', errors: ['not_found', 'validation_error'] } as const

/** The defaults of an operation that takes query parameters. */
export const withQuery = { ...operationDefaults, in: 'query', errors: ['not_found', 'validation_error'] } as const

/** A whole number within the bounds of its name. */
export function wholeNumber(name: keyof typeof controlBounds) {
  const { min, max } = controlBounds[name]
  return z.int().check(z.gte(min), z.lte(max))
}

/** What another interpretation of an open point would have answered. */
export const portabilityWarning = z.strictObject({
  switch: z.string(),
  interpretation: z.string(),
  other_interpretation: z.string(),
  would: z.string(),
})

/** How many entries of a list come by default. */
export const defaultLimit = 50

/** A page of a list: the entries of at most the limit, and what `before` takes for the next page where there is one. */
export function page<Entry>(found: readonly Entry[], limit: number, idOf: (entry: Entry) => string) {
  const entries = found.slice(0, limit)
  const last = entries.at(-1)
  return { entries, next: found.length > limit && last !== undefined ? { next: idOf(last) } : {} }
}
