export * from './handler.ts'
export * from './read-json.ts'
export * from './route.ts'
export * from './wire.ts'
