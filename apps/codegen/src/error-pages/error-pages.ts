import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DocTopic, rejectionReasons, statusOfCode } from '@lead-distribution/contract'
import type { LeadSdkError } from '@lead-distribution/publisher-sdk'
import { type Output, root, withGenerated } from '../output.ts'
import { refusalFacts, sdkFacts } from './sdk-facts.ts'
import { rejectionFacts, serviceFacts } from './service-facts.ts'

/** The facts about each SDK error; the type ensures that all codes are covered. */
const ofSdk: Record<LeadSdkError['code'] | 'callback_refused', (code: string) => Promise<string>> = {
  config: sdkFacts,
  validation: sdkFacts,
  bad_request: sdkFacts,
  auth: sdkFacts,
  rate_limit: sdkFacts,
  server: sdkFacts,
  not_sent: sdkFacts,
  outcome_unknown: sdkFacts,
  aborted: sdkFacts,
  protocol: sdkFacts,
  callback_refused: refusalFacts,
}

const serviceCodes = Object.keys(statusOfCode) as (keyof typeof statusOfCode)[]

/**
 * Writes a page for each error code and each rejection reason: the facts come from the code, the advice is written by
 * hand.
 */
export const errorPages: readonly Output[] = [
  ...Object.entries(ofSdk).map(([code, facts]) => page('sdk', code, () => facts(code))),
  ...serviceCodes.map(code => page('service', code, () => serviceFacts(code))),
  ...rejectionReasons.map(reason => page('rejections', reason, () => rejectionFacts(reason))),
  { path: 'docs/errors/README.md', text: () => withGenerated('docs/errors/README.md', indexOfPages()) },
]

function indexOfPages(): string {
  const links = (topic: DocTopic, names: readonly string[]) =>
    names.map(name => `- [\`${name}\`](${topic}/${name}.md): ${firstSentence(pathOf(topic, name))}`).join('\n')
  return [
    `## Errors of the SDKs\n\n${links('sdk', Object.keys(ofSdk))}`,
    `## Rejection reasons\n\n${links('rejections', rejectionReasons)}`,
    `## Error codes of the service\n\n${links('service', serviceCodes)}`,
  ].join('\n\n')
}

/** Returns a page's first sentence after the title. */
function firstSentence(path: string): string {
  const [, sentence] = /^# .+\n\n([\s\S]+?\.)\s/.exec(readFileSync(join(root, path), 'utf8')) ?? []
  if (!sentence) throw new Error(`Start ${path} with a sentence that the index of errors can show.`)
  return sentence.replaceAll('\n', ' ')
}

function pathOf(topic: DocTopic, name: string): string {
  return `docs/errors/${topic}/${name}.md`
}

function page(topic: DocTopic, name: string, facts: () => Promise<string>): Output {
  const path = pathOf(topic, name)
  return { path, text: async () => withGenerated(path, await facts()) }
}
