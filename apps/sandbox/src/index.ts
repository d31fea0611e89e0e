export { type LogLevel, logLevels } from './log.ts'
export { RefusedStart, type SandboxServer, type ServerOptions, startServer } from './server.ts'
