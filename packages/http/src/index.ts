export * from './handler.ts'
export * from './http-message.ts'
export * from './operation.ts'
export { malformedJson } from './read-input.ts'
