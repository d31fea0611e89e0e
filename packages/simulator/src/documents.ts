/** The sandbox's documents for people and tools, in a module of their own that is loaded only on request. */
export { serviceDocument } from '@lead-distribution/contract/openapi'
export { controlDocument } from './control/control-document.ts'
