/** The OpenAPI documents of a sandbox, apart from the rest so that they are loaded only when one is requested. */
export { serviceDocument } from '@lead-distribution/contract/openapi'
export { controlDocument } from './control/control-document.ts'
