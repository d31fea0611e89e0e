import { errorStatus } from './wire-error.ts'

/** Where the documentation is read: in its repository, until it has an address of its own. */
const documentation = 'https://github.com/lead-distribution/toolkit/blob/main/docs'

/** What has a page for each of its names: the errors of the SDKs, the error codes of the service, the rejection reasons. */
export type DocTopic = 'sdk' | 'service' | 'rejections'

/** The page that explains an error or a rejection reason: its meaning, whether to retry, how to force it. */
export function docUrl(topic: DocTopic, name: string): string {
  return `${documentation}/errors/${topic}/${name}.md`
}

/** The page about an error code of a reply; undefined for one that the service does not have, such as a proxy's. */
export function errorCodeDocUrl(code: string | null | undefined): string | undefined {
  return code && Object.hasOwn(errorStatus, code) ? docUrl('service', code) : undefined
}
