import { createLeadSandbox, type LeadSandbox } from '@lead-distribution/msw'
import { createPublisher, type LeadSubmission, type SubmitOptions } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver, createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { setupWorker } from 'msw/browser'

/** The parts that every step uses: a publisher in the page, and its sandbox's leads. */
function publisherIn(sandbox: LeadSandbox) {
  const { account, testLeads } = sandbox
  const publisher = createPublisher({
    baseUrl: account.base_url,
    apiKey: account.publisher.api_key,
    // A sandbox key, created in this page.
    dangerouslyAllowBrowser: true,
  })
  return {
    publisher,
    ana: testLeads.distributed({ customer: { contact: { email: { address: 'ana@example.com' } } } }),
    /** The result of a submission. */
    async submit(lead: LeadSubmission, options?: SubmitOptions) {
      const result = await publisher.submit(lead, options)
      const reason = result.outcome === 'rejected' ? result.rejection_reason : undefined
      return { outcome: result.outcome, reason, redirect_url: result.redirect_url }
    },
    /** The newest lead, as the control plane shows it. */
    async newest() {
      const { leads } = await sandbox.leads.list({ limit: 1 })
      return sandbox.leads.show(leads[0]?.lead_id ?? '')
    },
    async howMany() {
      return (await sandbox.leads.list()).leads.length
    },
  }
}

type PagePublisher = ReturnType<typeof publisherIn>

const onSubmit = { operation: 'submitLead' } as const

/** The steps of a page without a server. Each has a button, and the page shows its result. */
function offlineSteps(sandbox: LeadSandbox, show: (html: string) => void) {
  const page = publisherIn(sandbox)
  return { ...leadSteps(sandbox, page, show), ...failureSteps(sandbox, page), ...controlSteps(sandbox, page) }
}

function leadSteps({ testLeads, callbacks }: LeadSandbox, page: PagePublisher, show: (html: string) => void) {
  const { ana, submit, newest } = page
  return {
    submit: () => submit(ana),
    'submit to no advertiser': () => submit(testLeads.new()),
    'submit a minor': () => submit(testLeads.ageRestricted()),

    async 'visit the advertiser'() {
      const { redirect_url = '' } = await newest()
      const read = async (init?: RequestInit) =>
        new DOMParser().parseFromString(await (await fetch(redirect_url, init)).text(), 'text/html')
      const { title, forms } = await read()
      const [form] = forms
      if (!form) return { title }
      const values = [...new FormData(form), ['event', 'completed']] as [string, string][]
      const press = () => read({ method: 'POST', body: new URLSearchParams(values) })
      const pages = [await press(), await press()]
      return { title, reports: pages.map(page => page.querySelector('[role=status] p')?.textContent) }
    },

    async 'show the image of the postback'() {
      const { lead_id, deliveries } = await newest()
      show(`<img src="${deliveries[0]?.postback_url}&amp;event=approved" alt="" hidden>`)
      const { state, attempts } = await callbacks.wait({ leadId: lead_id })
      return { state, attempts: attempts.map(({ status }) => status) }
    },
  }
}

function failureSteps({ account, faults }: LeadSandbox, { ana, submit, howMany }: PagePublisher) {
  /** The result of an aborted `fetch`. */
  async function abortedFetch(): Promise<string> {
    await faults.add({ match: onSubmit, effect: { timeout: true }, times: 1 })
    const headers = { apikey: account.publisher.api_key, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(300)
    const reply = fetch(`${account.base_url}/lead`, { method: 'POST', headers, body: '{}', signal })
    return reply.then(
      ({ status }) => `answered ${status}`,
      (error: Error) => error.name,
    )
  }
  return {
    async 'lose a reply'() {
      await faults.add({ match: onSubmit, effect: { lost_reply: true }, times: 1 })
      return { first: await submit(ana), leads: await howMany(), second: await submit(ana) }
    },

    async 'wait in vain'() {
      await faults.add({ match: onSubmit, effect: { timeout: true }, times: 1 })
      return { outOfTime: await submit(ana, { timeoutMs: 300 }), aborted: await abortedFetch() }
    },

    async 'ask elsewhere'() {
      return fetch('https://elsewhere.test/').then(
        ({ status }) => ({ status }),
        (error: Error) => ({ error: error.name }),
      )
    },
  }
}

function controlSteps(sandbox: LeadSandbox, { publisher, ana, submit, howMany }: PagePublisher) {
  const { testLeads } = sandbox
  return {
    async 'sleep a day'() {
      await sandbox.clock.freeze()
      const before = await sandbox.clock.show()
      await sandbox.faults.add({ match: { operation: 'callback' }, effect: { status: 503 }, times: 3 })
      const { lead_id } = await publisher.submit(testLeads.distributed())
      await sandbox.leads.trigger(lead_id ?? '', { event: 'approved' })
      const after = await sandbox.clock.advance({ by: 'PT24H' })
      const { callbacks } = await sandbox.leads.show(lead_id ?? '')
      const passedMs = Date.parse(after.now) - Date.parse(before.now)
      return { passedMs, state: callbacks[0]?.state, attempts: callbacks[0]?.attempts.map(({ status }) => status) }
    },

    async explain() {
      const { would, trace } = await sandbox.leads.explain(testLeads.incomeInsufficient())
      const refusing = trace.find(({ verdict }) => verdict === 'rejected')
      return { would: would.status, check: refusing?.check, leads: await howMany() }
    },

    async 'go back to a snapshot'() {
      await submit(ana)
      await sandbox.snapshots.save('one-lead')
      await submit(testLeads.distributed())
      const leads = await howMany()
      await sandbox.snapshots.restore('one-lead')
      return { leads, restored: await howMany(), again: await submit(ana) }
    },
  }
}

/** The name of a step. */
export type OfflineStep = keyof ReturnType<typeof offlineSteps>

// A publisher's page, built before the service exists: the sandbox runs in the page, with msw's worker.

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
    // Moves the sandbox's clock by days.
    signature: { secrets: [sandbox.account.publisher.callback_secret], toleranceSeconds: Number.POSITIVE_INFINITY },
  },
  handle({ event, assurance }) {
    status.value = `${event} by ${assurance}`
  },
})
// The method's names in msw 3 and msw 2.
const strict = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' } as const
await setupWorker(...sandbox.handlers).start({ quiet: true, ...strict })

for (const [name, take] of Object.entries(offlineSteps(sandbox, place))) {
  const [button, output] = [document.createElement('button'), document.createElement('output')]
  button.textContent = name
  output.dataset.step = name
  document.body.append(button, output)
  button.addEventListener('click', async () => {
    output.value = JSON.stringify(await take().catch((error: unknown) => ({ threw: String(error) })))
  })
}
place('<p id="ready">Ready.</p>')
