export {
  type DocumentOptions,
  type OpenApiDocument,
  type OperationExamples,
  openApiDocument,
  type PathItem,
  type SecurityScheme,
  type Server,
} from './document.ts'
export { fieldNotes } from './field-notes.generated.ts'
export type { FieldNotes, JsonSchema, Notes, OpenEnumerations } from './schemas.ts'
export {
  type ExampleOwner,
  serviceComponents,
  serviceDocument,
  serviceErrors,
  submissionComponents,
} from './service-document.ts'
