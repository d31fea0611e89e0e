import type { OpenApiDocument, Server } from '@lead-distribution/contract/openapi'
import { controlPath, operatorPaths, sandboxPath } from '../paths.ts'
import { controlErrorNotes } from './control-error.ts'

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const error = (description = '') => json(description, { $ref: '#/components/schemas/ErrorResponse' })

/** Returns a response with a status, and the problem if there is one. */
function statusReply(description: string, status: string, problem: object = {}): object {
  const properties = { status: { const: status }, ...problem }
  return json(description, { type: 'object', properties, required: ['status'] })
}

const problem = {
  problem: { type: 'string', description: 'The problem; only for callers with access, because it may name files.' },
}
const failing = (status: string) => ({
  '503': statusReply('The sandbox is closing, or its storage takes no writes.', status, problem),
})

/** The OpenAPI paths of the operators' pages, with their own base addresses. `security`: that of the metrics. */
export function operatorPages(servers: readonly Server[], security: object[]): OpenApiDocument['paths'] {
  const beside = servers.map(server => ({ ...server, url: server.url.replace(controlPath, sandboxPath) }))
  const page = ({ replies, needed = [], ...about }: Page) => ({
    parameters: [],
    get: {
      ...about,
      tags: ['operation'],
      security: needed,
      servers: beside,
      responses: { ...replies, '405': error('`method_not_allowed`: the method is neither GET nor HEAD.') },
    },
  })
  const text = { 'text/plain': { schema: { type: 'string' } } }
  return {
    [operatorPaths.health]: page({
      operationId: 'showHealth',
      summary: 'Show the health',
      description: 'Returns whether the sandbox works.',
      replies: { '200': statusReply('The sandbox works.', 'ok'), ...failing('failing') },
    }),
    [operatorPaths.live]: page({
      operationId: 'showLiveness',
      summary: 'Show the liveness',
      description: 'Responds while the process is running.',
      replies: { '200': statusReply('The process responds.', 'live') },
    }),
    [operatorPaths.ready]: page({
      operationId: 'showReadiness',
      summary: 'Show the readiness',
      description: 'Returns whether requests can be sent here.',
      replies: { '200': statusReply('Requests can be sent here.', 'ready'), ...failing('not_ready') },
    }),
    [operatorPaths.metrics]: page({
      operationId: 'showMetrics',
      summary: 'Show the metrics',
      description: 'Returns metrics for Prometheus.',
      replies: {
        '200': { description: 'The text format of Prometheus.', content: text },
        '401': error(`\`unauthorized\`: ${controlErrorNotes.unauthorized}`),
        '403': error(`\`forbidden\`: ${controlErrorNotes.forbidden}`),
      },
      needed: security,
    }),
  }
}

interface Page {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly replies: object
  readonly needed?: object[]
}
