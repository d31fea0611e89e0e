/** As much of TypeDoc's JSON as is read. */
export interface Reflection {
  readonly name: string
  readonly kind: number
  readonly comment?: Comment
  readonly children?: readonly Reflection[]
  readonly parameters?: readonly Reflection[]
  readonly signatures?: readonly Reflection[]
  readonly getSignature?: Reflection
  readonly type?: Type
  readonly inheritedFrom?: unknown
}

interface Type {
  readonly type: string
  readonly name?: string
  readonly types?: readonly Type[]
  readonly elementType?: Type
  readonly declaration?: Reflection
}

interface Comment {
  readonly summary: readonly Part[]
  readonly blockTags?: readonly { readonly tag: string; readonly content: readonly Part[] }[]
}

interface Part {
  readonly text: string
}

/** Something that the reference describes. */
export interface Documented {
  /** The path that it is imported by. */
  readonly entry: string
  /** The names that lead to it, from the export on. */
  readonly path: readonly string[]
  readonly reflection: Reflection
  /** The comments of what it is a part of, the innermost last. */
  readonly around: readonly Comment[]
}

// TypeDoc's ReflectionKind is an enum of its program; the numbers are part of its JSON.
export const kind = {
  module: 2,
  variable: 32,
  function: 64,
  class: 128,
  interface: 256,
  constructor: 512,
  method: 2048,
  reference: 4194304,
}

/** The exports of every package of a project, those of its further entries included. */
export function exportsOf(project: Reflection): Documented[] {
  const packages = project.children ?? []
  const modules = packages.flatMap(each => [each, ...(each.children ?? []).filter(isModule)])
  return modules.flatMap(({ name, children = [] }) =>
    children
      .filter(child => !isModule(child))
      .map(reflection => ({ entry: name, path: [reflection.name], reflection, around: [] })),
  )
}

const isModule = (reflection: Reflection): boolean => reflection.kind === kind.module

/** The members of an export at any depth, those of its object types included; what is inherited is described elsewhere. */
export function membersOf(of: Documented): Documented[] {
  const { reflection, path, around } = of
  const literal = reflection.type?.declaration
  const members = [...(reflection.children ?? []), ...(literal?.children ?? [])].filter(member => !member.inheritedFrom)
  const next = [...around, ...commentsOf(reflection)]
  return members.flatMap(member => {
    const inner = { ...of, path: [...path, member.name], reflection: member, around: next }
    return [inner, ...membersOf(inner)]
  })
}

/** The parameters of a function or method, with the members of those that are objects without a name. */
export function parametersOf(of: Documented): Documented[] {
  const around = [...of.around, ...commentsOf(of.reflection)]
  return signaturesOf(of.reflection)
    .flatMap(({ parameters = [] }) => parameters)
    .map(reflection => ({ ...of, path: [...of.path, `(${reflection.name})`], reflection, around }))
    .flatMap(parameter => [parameter, ...membersOf(parameter)])
}

const signaturesOf = ({ signatures, type }: Reflection): readonly Reflection[] =>
  signatures ?? type?.declaration?.signatures ?? []

export const commentsOf = (reflection: Reflection): Comment[] =>
  [reflection, reflection.getSignature, ...signaturesOf(reflection)].flatMap(each => each?.comment ?? [])

/** The texts of the block tags of a name, such as `@throws`. */
export const tagsOf = (comments: readonly Comment[], name: string): string[] =>
  comments
    .flatMap(({ blockTags = [] }) => blockTags.filter(({ tag }) => tag === name))
    .map(({ content }) => text(content))

/** The text of a comment, its tags included. */
export const textOf = ({ summary, blockTags = [] }: Comment): string =>
  [text(summary), ...blockTags.map(({ content }) => text(content))].join(' ')

/** Returns true if a type is a number, or may be one. */
export const isNumber = (type: Type | undefined): boolean =>
  type !== undefined &&
  ((type.type === 'intrinsic' && type.name === 'number') ||
    isNumber(type.elementType) ||
    (type.types ?? []).some(isNumber))

export const labelOf = ({ entry, path }: Documented): string => `${entry}: ${path.join('.')}`

const text = (parts: readonly Part[]): string => parts.map(part => part.text).join('')
