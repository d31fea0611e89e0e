export {
  type DocumentOptions,
  type OpenApiDocument,
  openApiDocument,
  type SecurityScheme,
  type Server,
} from './document.ts'
export { fieldNotes } from './field-notes.generated.ts'
export type { FieldNotes, Notes } from './field-notes.ts'
export type { OperationExamples } from './operation-object.ts'
export type { JsonSchema } from './schemas.ts'
export { serviceComponents, serviceDocument } from './service-document.ts'
