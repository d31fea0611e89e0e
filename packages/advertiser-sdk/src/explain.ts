// What is wrong with a postback URL. An entry of its own: its sentences are a third of the SDK, and few programs need them.
export type { TokenFormat } from '@lead-distribution/contract'
export type { PostbackCheck, PostbackFinding } from '@lead-distribution/diagnostics/postback'
export { type ExplainOptions, explainPostbackUrl } from './explain-postback-url.ts'
export type { Vocabulary } from './vocabulary.ts'
