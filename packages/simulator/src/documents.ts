/** The documents of a sandbox for people and tools, apart from the rest so that they are loaded only when one is requested. */
export { serviceDocument } from '@lead-distribution/contract/openapi'
export { controlDocument } from './control/control-document.ts'
