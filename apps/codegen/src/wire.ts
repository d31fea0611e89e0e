import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as contract from '@lead-distribution/contract'
import { serviceComponents } from '@lead-distribution/contract/openapi'
import { describeShape, errorResponse, fieldIssue, leadSubmission } from '@lead-distribution/contract/shapes'
import ts from 'typescript'
import * as z from 'zod/mini'
import { type Output, root } from './output.ts'

// The wire's shapes and their comments are the single description of a lead, a status update and an error. This module
// generates from them the interfaces, the notes in the OpenAPI documents, and the fields that the SDKs validate without
// zod.

const sources = ['lead/lead.ts', 'status.ts', 'error-shapes.ts']
const components = { ...serviceComponents, FieldIssue: fieldIssue, ErrorResponse: errorResponse }

interface Note {
  readonly description: string
  readonly fields: Readonly<Record<string, string>>
}

type JsonSchema = z.core.JSONSchema.BaseSchema

const head = (source: string) => `// Generated from ${source} by \`npm run generate\`. Change the shapes instead.\n`
const read = (file: string) => readFileSync(join(root, 'packages/contract/src', file), 'utf8')

/** The files generated from the contract. */
export const wireOutputs: readonly Output[] = [
  { path: 'packages/contract/src/interfaces.generated.ts', text: interfacesSource },
  { path: 'packages/contract/src/lead/lead-fields.generated.ts', text: leadFieldsSource },
  { path: 'packages/engine/src/rules/judges.generated.ts', text: judgesSource },
  { path: 'packages/contract/src/openapi/field-notes.generated.ts', text: fieldNotesSource },
]

/** The groups in the API reference for interfaces that are not part of a lead. */
const categories: Readonly<Record<string, string>> = {
  LeadResponse: 'Results',
  StatusMetadata: 'Reports',
  StatusUpdate: 'Reports',
  StatusReply: 'Reports',
  EventReport: 'Reports',
  EventReply: 'Reports',
  FieldIssue: 'Errors',
  ErrorResponse: 'Errors',
}

/** Returns the source file of the wire's interfaces, with the comments that users of the SDKs see. */
export function interfacesSource(): string {
  const interfaces = Object.entries(notes()).map(([name, { description, fields }]) => {
    const { required = [] } = schemaOf(name)
    const lines = Object.entries(fields).map(([field, note]) => {
      const type = typeOf(propertyOf(name, field))
      return `  /** ${note} */\n  ${field}${required.includes(field) ? `: ${type}` : `?: ${type} | undefined`}\n`
    })
    return `/**\n * ${description}\n * @category ${categories[name] ?? 'Leads'}\n */\nexport interface ${name} {\n${lines.join('')}}\n`
  })
  const types = [...enumerationTypes().values()].filter(type => new RegExp(`: ${type}\\b`).test(interfaces.join('')))
  const imported = (file: string) => types.filter(type => read(file).includes(`export type ${type} `)).sort()
  const imports = ['lead/enumerations.ts', 'events.ts', 'rejections.ts'].map(
    file => `import type { ${imported(file).join(', ')} } from './${file}'\n`,
  )
  return `${head('the shapes of the wire')}${imports.join('')}\n${interfaces.join('\n')}`
}

/**
 * Returns the index of the rules: each reason has a file with its name, which exports a judge for each of its checks.
 */
function judgesSource(): string {
  const { rejections } = contract
  const names = Object.keys(rejections) as contract.RejectionName[]
  const imports = contract.rejectionReasons.toSorted().map(reason => {
    const own = names.filter(name => rejections[name].reason === reason).sort()
    return `import { ${own.join(', ')} } from './${reason.replaceAll('_', '-')}.ts'\n`
  })
  return `// Generated from the list of rejections by \`npm run generate\`.
import type { RejectionName } from '@lead-distribution/contract'
${imports.join('')}import type { Judge } from './rule.ts'

export const judges: Readonly<Record<RejectionName, Judge>> = {
${names.map(name => `  ${name},\n`).join('')}}
`
}

/** Returns the source file of the shapes' comments, with bounds and defaults, which the OpenAPI documents show. */
function fieldNotesSource(): string {
  const all = { ...notes(), ...criteriaNotes() }
  return `${head('the comments of the shapes of the wire and of the criteria')}import type { FieldNotes } from './schemas.ts'

/** The meaning of the named shapes of the wire and their fields. */
export const fieldNotes = ${JSON.stringify(all, null, 2)} as const satisfies FieldNotes
`
}

/** Returns the comments of the criteria, with units, bounds and defaults. */
function criteriaNotes(): Record<string, Note> {
  const { productCriteria, advertiserCriteria } = contract
  const criteria = (file: string, declaration: string, all: Readonly<Record<string, contract.Criterion>>): Note => {
    const { description, fields } = noteIn(file, declaration)
    const described = Object.entries(all).map(([name, criterion]) => [name, criterionNote(fields[name], criterion)])
    return { description, fields: Object.fromEntries(described) }
  }
  return {
    ProductCriteria: criteria('rejections.ts', 'productCriteria', productCriteria),
    AdvertiserCriteria: criteria('criteria.ts', 'advertiserCriteria', advertiserCriteria),
  }
}

function criterionNote(comment: string | undefined, criterion: contract.Criterion): string {
  const { default: byDefault } = criterion
  const max = criterion.type === 'integer' ? criterion.max : undefined
  return [
    comment,
    criterion.type !== 'list' && `In whole ${criterion.unit}.`,
    max !== undefined && `At most ${max}.`,
    `Default: ${defaultText(byDefault)}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function defaultText(value: contract.Criterion['default']): string {
  if (typeof value === 'number') return `\`${value}\``
  if ('min' in value) return `\`${value.min}\` to \`${value.max}\``
  return value.length === 0 ? 'none' : value.map(item => `\`${item}\``).join(', ')
}

/** Returns the source file of a lead's fields, for validation and hints in the SDKs without zod. */
function leadFieldsSource(): string {
  const { proseInterpretation } = contract
  const points = Object.keys(proseInterpretation) as (keyof contract.Interpretation)[]
  const described = points.reduce(
    (fields, point) =>
      requiredBy(point, fields, describeShape(leadSubmission({ ...proseInterpretation, [point]: 'required' }))),
    describeShape(leadSubmission(proseInterpretation)),
  )
  const used = new Set<string>()
  const text = JSON.stringify(described, (key, value) => referenceTo(key, value, used) ?? value, 2)
    .replace(/"@(\w+)"/g, '$1')
    .replace(/"(\w+)":/g, '$1:')
    .replaceAll('"', "'")
    .replace(/\{[^{}]*\}/g, flat)
    .replace(/\{[^{}]*(?:\{ name: [^{}]*\})[^{}]*\}/g, flat)
  const imports = ['lead/enumerations.ts', 'formats.ts', 'lead/limits.ts'].map(file => {
    const names = [...used].filter(name => new RegExp(`export (const|function) ${name}\\b`).test(read(file))).sort()
    return `import { ${names.join(', ')} } from '${join('..', file).replace('../lead', '.')}'\n`
  })
  return `${head('the shape of a lead')}${imports.join('')}import type { FieldDescription } from '../validation/validator.ts'

/** The fields of a lead, as \`describeShape\` describes them. */
export const leadFields: FieldDescription = ${text}
`
}

const flat = (text: string) => text.replace(/\s*\n\s*/g, ' ')

/** Marks the fields that are required if the interpretation of an open point requires them. */
function requiredBy(
  point: keyof contract.Interpretation,
  loose: contract.FieldDescription,
  strict: contract.FieldDescription,
): contract.FieldDescription {
  const { fields, items } = loose
  const children = Object.entries(fields ?? {}).map(([name, field]) => [
    name,
    requiredBy(point, field, strict.fields?.[name] as contract.FieldDescription),
  ])
  return {
    ...loose,
    ...(loose.optional && !strict.optional && { optional: point }),
    ...(fields && { fields: Object.fromEntries(children) }),
    ...(items && { items: requiredBy(point, items, strict.items as contract.FieldDescription) }),
  }
}

/** Returns the name of the export from which a part of a description comes, after an `@`. */
function referenceTo(key: string, value: unknown, used: Set<string>): string | undefined {
  const isThat =
    key === 'values' && Array.isArray(value)
      ? (one: unknown) => isDeepStrictEqual(one, value)
      : key === 'fits' && typeof value === 'function'
        ? (one: unknown) => one === value
        : key === 'condition' && Object(value).holds
          ? (one: unknown) => Object(one).holds === Object(value).holds
          : undefined
  if (!isThat) return undefined
  const [name] = Object.entries(contract).find(([, one]) => isThat(one)) ?? []
  if (name === undefined) throw new Error(`Export the ${key} of this field from the contract: ${JSON.stringify(value)}`)
  used.add(name)
  return `@${name}`
}

/** Returns the comments of every named shape and its fields, in source order, with bounds and defaults added. */
function notes(): Record<string, Note> {
  const found = new Map(sources.flatMap(file => [...notesOf(read(file))]))
  const named = [...found].map(([name, note]): [string, Note] => [name.charAt(0).toUpperCase() + name.slice(1), note])
  const unnamed = Object.keys(components).filter(name => !named.some(([other]) => other === name))
  if (unnamed.length > 0) throw new Error(`No shape with a comment is named ${unnamed.join(', ')}.`)
  return Object.fromEntries(
    named
      .filter(([name]) => name in components)
      .map(([name, { description, fields }]) => {
        const names = Object.keys(schemaOf(name).properties ?? {})
        const described = names.map(field => [field, noteOf(name, field, fields[field])])
        return [name, { description, fields: Object.fromEntries(described) }]
      }),
  )
}

function noteOf(name: string, field: string, comment: string | undefined): string {
  if (!comment) throw new Error(`Write a comment for the field ${field} of ${name}: it becomes its description.`)
  const { minimum, maximum, maxItems, maxLength, minLength, default: byDefault } = propertyOf(name, field)
  // Every integer is exact in JavaScript, so this is no real bound.
  const from = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return [
    comment,
    from !== undefined && (to === undefined ? `At least ${from}.` : `From ${from} to ${to}.`),
    from === undefined && to !== undefined && `At most ${to}.`,
    minLength === 1 && 'Not empty.',
    maxLength !== undefined && `At most ${maxLength} characters.`,
    maxItems !== undefined && `At most ${maxItems}.`,
    byDefault !== undefined && `Default: \`${byDefault}\`.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function noteIn(file: string, name: string): Note {
  const note = notesOf(read(file)).get(name)
  if (!note) throw new Error(`No declaration is named ${name}.`)
  return note
}

/**
 * Reads the comments of the declarations in a source text, and of their fields: an interface's, or the first object's.
 */
export function notesOf(text: string): Map<string, Note> {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const notes = file.statements.map((statement): [name: string, note: Note] => {
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement
    const name = (declared as ts.NamedDeclaration | undefined)?.name?.getText() ?? ''
    const members = ts.isInterfaceDeclaration(statement) ? statement.members : objectIn(statement)?.properties
    const fields = members?.map(each => [each.name?.getText(), commentOf(each)]) ?? []
    return [name, { description: commentOf(statement), fields: Object.fromEntries(fields) }]
  })
  return new Map(notes)
}

function objectIn(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  return ts.isObjectLiteralExpression(node) ? node : ts.forEachChild(node, objectIn)
}

function commentOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '').replace(/\s+/g, ' ').trim()
}

const registry = z.registry<{ id: string }>()
for (const [id, shape] of Object.entries(components)) registry.add(shape, { id })
const { schemas } = z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri: id => id })
const schemaOf = (name: string): JsonSchema => schemas[name] ?? {}
const propertyOf = (name: string, field: string): JsonSchema => schemaOf(name).properties?.[field] as JsonSchema

/** Returns the TypeScript type of a field. An enumeration without its own type may hold other strings too. */
function typeOf({ $ref, type, enum: values, anyOf, items }: JsonSchema): string {
  if ($ref) return $ref
  if (anyOf) return anyOf.map(each => typeOf(each as JsonSchema)).join(' | ')
  if (values) return enumerationTypes().get(JSON.stringify(values)) ?? 'string'
  if (type === 'array') return `${typeOf(items as JsonSchema)}[]`
  return [type]
    .flat()
    .map(each => (each === 'integer' ? 'number' : each))
    .join(' | ')
}

/** Returns the type names of the enumerations by their values. */
function enumerationTypes(): Map<string, string> {
  const types = ['lead/enumerations.ts', 'events.ts', 'rejections.ts'].flatMap(file => [
    ...read(file).matchAll(/export type (\w+) = \(typeof (\w+)\)\[number\]/g),
  ])
  const exported: Readonly<Record<string, unknown>> = contract
  return new Map(types.map(([, type = '', values = '']) => [JSON.stringify(exported[values]), type]))
}
