import { errorStatus, type FieldIssue } from '@lead-distribution/contract'
import type { Echo } from './echo.ts'

/** A reply body that is a JSON object, `undefined` for anything else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The `error` of an error reply (Spec 2.13), where it is a code, no sentence, and nothing of what was sent. */
export function errorCode(body: Record<string, unknown> | undefined, echo: Echo): string | null {
  const code = body?.error
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code)) return null
  return Object.hasOwn(errorStatus, code) || !echo(code) ? code : null
}

/** The `details` of an error reply (Spec 2.13), as far as they have the right shape. */
export function errorDetails(body: Record<string, unknown> | undefined): FieldIssue[] {
  const { details } = body ?? {}
  if (!Array.isArray(details)) return []
  return details
    .filter(each => typeof each?.field === 'string' && typeof each?.issue === 'string')
    .map(({ field, issue }) => ({ field, issue }))
}
