/** The documents that a sandbox may be given: a file of its own, to be loaded when one is asked for. */
export { serviceDocument } from '@lead-distribution/contract/openapi'
export { controlDocument } from './control/control-document.ts'
