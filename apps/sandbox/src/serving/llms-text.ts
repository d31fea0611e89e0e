import { basePath } from '@lead-distribution/contract'
import { operations } from '@lead-distribution/contract/shapes'
import { controlOperations, controlPath, demoAccount, demoName } from '@lead-distribution/simulator'
import { scenarioHeader } from '@lead-distribution/simulator/effects'
import { referencePath, sandboxPath } from '@lead-distribution/simulator/urls'

/** The operations that a first test needs, in order. */
const requests = [
  { base: controlPath, operation: controlOperations.showTenant },
  { base: basePath, operation: operations.submitLead },
  { base: controlPath, operation: controlOperations.showLead },
  { base: controlPath, operation: controlOperations.triggerEvent },
  { base: controlPath, operation: controlOperations.waitForCallback },
]

/**
 * The sandbox's page for language models (https://llmstxt.org): a description, the operations for a first test, and the
 * documents. `url` is where the sandbox is reached. Unless a token is required, it includes the demo account's
 * documented keys.
 */
export function llmsText(url: string, needsToken: boolean): string {
  const lines = requests.map(
    ({ base, operation: { methods, path, title, description } }) =>
      `- ${title}: \`${methods[0]} ${url}${base}${path.replace(':tenant', demoName)}\`. ${description}`,
  )
  const access = needsToken
    ? "The control plane requires `Authorization: Bearer TOKEN`, with the admin token or a tenant's token; the service requires an account's `apikey`."
    : `The control plane requires no token. The service requires an account's \`apikey\`; the publisher of the tenant \`${demoName}\` has \`${demoAccount.publisher_key}\`, with the publisher_id \`${demoAccount.publisher_id}\` and the product_id \`${demoAccount.active_product_id}\`.`
  return `# Lead distribution sandbox

> A lead distribution service to test against, with real rules and real state. Nothing here can reach a real advertiser. Use
> invented people.

The base URL of the service is \`${url}${basePath}\`. ${access}

## Requests

${lines.join('\n')}

An email address identifies a customer of a product: use a new one for each lead. To force an outcome, submit the
address \`fraud_suspected+1@sandbox.test\`, or any lead with the header \`${scenarioHeader}: fraud_suspected\`. After a
lost response, don't repeat the submission before you check the leads: it may have been stored.

## Documents

- [The service](${url}${sandboxPath}/service.openapi.json): its OpenAPI document, with the shape of a lead and every error
- [The control plane](${url}${sandboxPath}/openapi.json): tenants, clock, faults, callbacks, leads, as an OpenAPI document
- [Reference](${url}${referencePath}): both, as a page

The npm packages \`@lead-distribution/publisher-sdk\`, \`advertiser-sdk\`, \`control-client\`, \`msw\`, \`conformance\` and \`sandbox\` each
have an \`AGENTS.md\`.
`
}
