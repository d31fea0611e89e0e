/**
 * Start the sandbox from Node, or mount it in an Express application.
 * @module @lead-distribution/sandbox
 */

export { type Configuration, configurationSchema, configurationShape } from './configuration/configuration.ts'
export { createSandboxRouter, type SandboxRouter, type SandboxRouterOptions } from './express/sandbox-router.ts'
export { type LogLevel, logLevels, type RequestLine } from './log.ts'
export { RefusedStart } from './open-sandbox.ts'
export { type SandboxServer, type ServerOptions, startServer } from './server.ts'
export type { UploadLimits } from './serving/limits.ts'
export type { Account } from './serving/serve-sandbox.ts'
