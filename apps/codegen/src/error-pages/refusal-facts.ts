import { CallbackRefusedError, createCallbackUrl, verifyCallback } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestSigningSecret, forgeTestCallbacks } from '@lead-distribution/publisher-sdk/testing'
import { markdownTable } from '../output.ts'

/** Why a callback is refused, and with which status: found by refusing each forged one. */
export async function refusalFacts(): Promise<string> {
  const { url, secret: urlSecret } = createCallbackUrl('https://publisher.example/callbacks')
  const secret = createTestSigningSecret()
  const event = { url, urlSecret, secret, lead_id: crypto.randomUUID(), event: 'loan_issued' }
  const verify = { urlSecrets: [urlSecret], signature: { secrets: [secret] } }
  const rows: string[][] = []
  for (const [flaw, request] of Object.entries(await forgeTestCallbacks(event))) {
    const error = await verifyCallback(request, { verify }).then(
      () => undefined,
      thrown => thrown,
    )
    if (!CallbackRefusedError.is(error)) throw new Error(`The callback with ${flaw} is not refused.`)
    rows.push([`\`${flaw}\``, `\`${error.status}\``, error.reason])
  }
  return [
    'Class: `CallbackRefusedError`, which `verifyCallback` throws. `createCallbackReceiver` replies with the status and calls `onRefusal`.',
    markdownTable(['flaw', 'reply', '`reason`'], rows),
    'In a unit test: `forgeTestCallbacks`, of `@lead-distribution/publisher-sdk/testing`, makes a request with each flaw.',
  ].join('\n\n')
}
