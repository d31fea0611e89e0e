export {
  type DocumentOptions,
  type OpenApiDocument,
  openApiDocument,
  type PathItem,
  type SecurityScheme,
  type Server,
} from './document.ts'
export { fieldNotes } from './field-notes.generated.ts'
export type { OperationExamples } from './operation-object.ts'
export type { FieldNotes, JsonSchema, Notes, OpenEnumerations } from './schemas.ts'
export { type ExampleOwner, serviceComponents, serviceDocument } from './service-document.ts'
