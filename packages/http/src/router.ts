import { canonicalUuid, wireError } from '@lead-distribution/contract'
import type { Refusal } from './http-message.ts'

/** The path and methods of an operation. */
export interface Routed {
  readonly methods: readonly string[]
  readonly path: string
}

/** The match of a path and a method. */
export type Match<Name extends string> =
  | { readonly operation: Name; readonly params: Readonly<Record<string, string>> }
  /** The path's methods, if this one is not among them. */
  | { readonly allow: readonly string[] }

interface Path<Name extends string> {
  readonly segments: readonly string[]
  readonly byMethod: Map<string, Name>
}

/**
 * Finds the operation for a path and a method. Paths are matched here rather than by frameworks, which differ on HEAD,
 * OPTIONS, trailing slashes and malformed escapes; here, each is taken literally. A HEAD counts as a GET for operations
 * for which `answersHead` returns true; by default for none, because a GET may record something.
 */
export function createRouter<Name extends string>(
  table: Readonly<Record<Name, Routed>>,
  answersHead: (name: Name) => boolean = () => false,
) {
  const paths = new Map<string, Path<Name>>()
  for (const [name, { path, methods }] of Object.entries<Routed>(table)) {
    const entry = paths.get(path) ?? { segments: path.split('/'), byMethod: new Map() }
    for (const method of methods) {
      entry.byMethod.set(method, name as Name)
      if (method === 'GET' && answersHead(name as Name)) entry.byMethod.set('HEAD', name as Name)
    }
    paths.set(path, entry)
  }
  const withParams = [...paths.values()].filter(({ segments }) => segments.some(isParam))

  /** Returns undefined if no operation matches the path. */
  return (method: string, path: string): Match<Name> | undefined => {
    // Paths without parameters come first: `/leads/explain` is not the lead `explain`.
    const literal = path.includes('/:') ? undefined : paths.get(path)
    if (literal) return matchOf(literal, method, {})
    const given = path.split('/')
    for (const candidate of withParams) {
      const params = paramsOf(candidate.segments, given)
      if (params) return matchOf(candidate, method, params)
    }
    return undefined
  }
}

function matchOf<Name extends string>(
  { byMethod }: Path<Name>,
  method: string,
  params: Readonly<Record<string, string>>,
): Match<Name> {
  const operation = byMethod.get(method)
  return operation ? { operation, params } : { allow: [...byMethod.keys()] }
}

const isParam = (segment: string) => segment.startsWith(':')

function paramsOf(pattern: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, wanted] of pattern.entries()) {
    const segment = given[index] ?? ''
    if (!isParam(wanted)) {
      if (wanted !== segment) return undefined
      continue
    }
    const value = decode(segment)
    if (!value) return undefined
    params[wanted.slice(1)] = canonicalUuid(value)
  }
  return params
}

function decode(segment: string): string | undefined {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    return undefined
  }
}

/** Returns the refusal of a method that a path does not support, with `Allow`. */
export function methodNotAllowed(allow: readonly string[]): Refusal {
  const list = allow.join(', ')
  return { ...wireError('method_not_allowed', `Use one of these methods: ${list}.`), headers: { allow: list } }
}
