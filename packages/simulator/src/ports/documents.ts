import type { OpenApiDocument, Server } from '@lead-distribution/contract/openapi'
import type { ControlAccess } from '../control/access.ts'

/** The OpenAPI documents of a sandbox. They are a third as large as all the rest, so that only who serves them loads them. */
export interface Documents {
  /** That of the service, at these base addresses. */
  serviceDocument(servers: readonly Server[]): OpenApiDocument
  /** That of the control plane, at these base addresses and for who may use it. */
  controlDocument(servers: readonly Server[], access: ControlAccess): OpenApiDocument
}
