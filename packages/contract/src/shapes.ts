// The entry with zod: the shapes of the wire, the operations table, and the issues of a shape as the wire has them.
export * from './account-shapes.ts'
export * from './error-shapes.ts'
export * from './format-shapes.ts'
export * from './lead/lead.ts'
export * from './operations.ts'
export * from './status.ts'
export * from './validation/describe-shape.ts'
export { unknownField } from './validation/field-issue.ts'
