import { basePath, wireError } from '@lead-distribution/contract'
import {
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  type Refusal,
  type RequestHandler,
} from '@lead-distribution/http'
import { controlPath } from './paths.ts'
import { refuseUnavailable } from './storage/unavailable.ts'

/**
 * Has each call find the tenants as other processes left them. Pages are shown without: that of the health is wanted
 * while the storage does not answer.
 */
export function refreshing(refresh: () => Promise<void>): RequestHandler {
  return async ({ target }) => {
    const mustBeNew = target.startsWith(basePath) || target.startsWith(controlPath)
    await refresh().catch(error => {
      if (mustBeNew) throw error
    })
    return undefined
  }
}

/** Answers by the first of these handlers that has the path. */
export function answerBy(handlers: readonly RequestHandler[], onError: (error: unknown) => void) {
  return async (request: HttpRequest): Promise<HttpResponse> => {
    try {
      for (const handle of handlers) {
        const response = await handle(request)
        if (response) return response
      }
      return jsonResponse(noSuchPath.status, noSuchPath.body)
    } catch (error) {
      onError(error)
      const { status, body, headers } = refuseUnavailable(error) ?? internalError
      return jsonResponse(status, body, headers)
    }
  }
}

const noSuchPath = wireError(
  'not_found',
  `Nothing is here. The service is below ${basePath}, the control plane below ${controlPath}.`,
)

const internalError: Refusal = wireError('internal_error', 'Something went wrong in the sandbox. Try again later.')

/** `POST …/tenants/` is `POST …/tenants` in the control plane; the service takes only its exact paths. */
export function withoutTrailingSlash(request: HttpRequest): HttpRequest {
  return request.target.startsWith(controlPath)
    ? { ...request, target: request.target.replace(/^([^?]*)\/(?=$|\?)/, '$1') }
    : request
}
