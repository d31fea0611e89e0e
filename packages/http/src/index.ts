export {
  type BodyReader,
  type BrokenResponse,
  type EventStream,
  type HttpRequest,
  type HttpResponse,
  headersOf,
  type JsonResponse,
  jsonResponse,
  parseBody,
  type Refusal,
  readBytes,
  type Wait,
  writeResponse,
} from './http-message.ts'
export { jsonIssue, malformedJson, startsWithMark } from './malformed-json.ts'
export * from './operation.ts'
export { readInput } from './read-input.ts'
export * from './router.ts'
export * from './service.ts'
