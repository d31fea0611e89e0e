// The entry that needs zod: the operations table with its shapes, and the issues of a shape as the wire has them.
export * from './error-shapes.ts'
export * from './format-shapes.ts'
export * from './lead/shapes.ts'
export * from './operations.ts'
export * from './status/shapes.ts'
export * from './validation/describe-shape.ts'
export { unknownField } from './validation/field-issue.ts'
