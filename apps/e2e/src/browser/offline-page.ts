// A page of a publisher that is built before there is a service: the sandbox in the page itself, behind msw's worker.
import { createLeadSandbox } from '@lead-distribution/msw'
import { createCallbackReceiver, createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { setupWorker } from 'msw/browser'
import { offlineSteps } from './offline-steps.ts'

const place = (html: string) => document.body.insertAdjacentHTML('beforeend', html)
place('<p>Status: <output id="status"></output></p>')
const status = document.querySelector('#status') as HTMLOutputElement

const own = new URLSearchParams(location.search).has('own-origin')
const { url, secret } = createCallbackUrl('https://app.acme.example/callbacks')
const sandbox = await createLeadSandbox({
  baseUrl: own ? `${location.origin}/api/v1` : undefined,
  settings: { callback_signature: 'standard_webhooks' },
  callbackUrl: url,
  onCallback: callback => receive(callback),
})
const receive = createCallbackReceiver({
  verify: {
    urlSecrets: [secret],
    // The clock of the sandbox is moved by days.
    signature: { secrets: [sandbox.account.publisher.callback_secret], toleranceSeconds: Number.POSITIVE_INFINITY },
  },
  handle({ event, assurance }) {
    status.value = `${event} by ${assurance}`
  },
})
await setupWorker(...sandbox.handlers).start({ quiet: true, onUnhandledFrame: 'error' })

for (const [name, take] of Object.entries(offlineSteps(sandbox, place))) {
  const [button, output] = [document.createElement('button'), document.createElement('output')]
  button.textContent = name
  output.dataset.step = name
  document.body.append(button, output)
  button.addEventListener('click', async () => {
    output.value = JSON.stringify(await take().catch(fault => ({ threw: String(fault) })))
  })
}
place('<p id="ready">Ready.</p>')
