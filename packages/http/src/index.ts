export * from './handler.ts'
export {
  type BodyReader,
  type BrokenResponse,
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  headersOf,
  type JsonResponse,
  jsonResponse,
  malformedJson,
  parseBody,
  type Refusal,
  readBytes,
  type Wait,
  writeResponse,
} from './http-message.ts'
export * from './operation.ts'
