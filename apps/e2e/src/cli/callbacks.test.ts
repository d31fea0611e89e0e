import { describe, expect, it } from 'vitest'
import { sandboxCli } from './sandbox-cli.ts'

interface Callback {
  callback_id: string
  lead_id: string
  event: string
  state: string
  attempts: { status: number }[]
}

const { cli, follow, text, json, control } = sandboxCli()

/** A distributed lead with a reported event, on a frozen clock: retries wait until the clock advances. */
async function reported(event: string): Promise<string> {
  const { lead_id } = await json<{ lead_id: string }>('submit')
  await control().clock.freeze()
  await report(lead_id, event)
  return lead_id
}

const report = (lead_id: string, event: string) => control().leads.trigger(lead_id, { event })

const callbacks = async () => (await control().callbacks.list()).callbacks

describe('callbacks', () => {
  it('waits for a callback, lists it and shows it', async () => {
    const lead_id = await reported('approved')
    const args = ['callbacks', 'wait', '--lead', lead_id, '--event', 'approved', '--timeout', '10s']
    const { callback_id, state } = await json<Callback>(...args)
    expect(state).toBe('delivered')
    expect(await text('callbacks', 'list', '--state', 'delivered', '--lead', lead_id)).toContain(callback_id)
    expect(await json('callbacks', 'list')).toEqual(await control().callbacks.list())
    expect(await text('callbacks', 'show', callback_id)).toContain('Attempts')
    expect(await json('callbacks', 'show', callback_id)).toEqual(await control().callbacks.show(callback_id))
  })

  it('sends an edited synthetic callback, which is marked as synthetic and does not end a wait', async () => {
    await control().update({ settings: { callback_signature: 'standard_webhooks' } })
    const { lead_id } = await json<{ lead_id: string }>('submit')
    const flags = ['--edit', 'event=no such', '--edit', 'a=b=c', '--bad-signature', '--repeat', '2', '--late', '1h']
    expect(await text('callbacks', 'send', lead_id, 'approved', ...flags)).toContain('loan_issued (synthetic)')
    await control().clock.advance({ by: 'PT1H' })
    const [sent, ...others] = await callbacks()
    expect([sent?.state, sent?.synthetic, others.length]).toEqual(['delivered', true, 1])
    const query = { lead_id, event: 'no such', a: 'b=c' }
    expect(Object.fromEntries(new URL(sent?.url ?? '').searchParams)).toEqual(query)
    expect(await text('callbacks', 'show', sent?.callback_id ?? '')).toContain('synthetic')
    const { code } = await cli(['callbacks', 'wait', '--lead', lead_id, '--timeout', 'PT0.01S'])
    const wrong = await cli(['callbacks', 'send', lead_id, 'approved', '--edit', 'event'])
    expect([code, wrong.code, wrong.stderr]).toEqual([1, 2, expect.stringContaining('such as event=unknown')])
  })

  it('exits with 1 on time-out', async () => {
    const { lead_id } = await json<{ lead_id: string }>('submit')
    const { code, stderr } = await cli(['callbacks', 'wait', '--lead', lead_id, '--timeout', 'PT0.01S'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('No such callback was delivered in time')])
  })

  it('resends one callback, or all that failed', async () => {
    await control().update({ settings: { callback_retries: [] } })
    await text('inbox', 'fail', '503', '--times', '2')
    await reported('approved')
    await expect.poll(async () => (await callbacks())[0]?.state).toBe('failed')
    const [failed] = await callbacks()
    const id = failed?.callback_id ?? ''
    expect(await json('callbacks', 'resend', id)).toMatchObject({ attempts: [{ status: 503 }, { status: 503 }] })
    expect(await text('callbacks', 'recover', '--since', '1h')).toContain('delivered')
    expect(await callbacks()).toMatchObject([{ callback_id: id, state: 'delivered' }])
    expect(await json('callbacks', 'recover', '--since', '2020-01-01T00:00:00Z')).toMatchObject({ callbacks: [] })
  })

  it('follows callbacks, and exits with 0 on Ctrl-C', async () => {
    const lead_id = await reported('approved')
    const { entries, stop } = follow<Callback>('callbacks', 'tail')
    const events = () => entries().map(({ event }) => event)
    await expect.poll(events).toEqual(['loan_issued'])
    await report(lead_id, 'completed')
    await expect.poll(() => new Set(events())).toEqual(new Set(['loan_issued', 'loan_paid']))
    expect(await stop()).toMatchObject({ code: 0, stderr: '' })
    expect(await text('callbacks', 'tail', '--no-follow', '--lead', lead_id)).toContain('loan_paid')
  })

  it('prints the retry of a callback older than the 500 newest', async () => {
    await text('inbox', 'fail', '503', '--times', '1')
    const leadId = await reported('approved')
    await expect.poll(async () => (await callbacks())[0]?.attempts).toMatchObject([{ status: 503 }])
    for (let hundreds = 0; hundreds < 5; hundreds++)
      await control().callbacks.send({ leadId, event: 'approved', repeat: 100 })
    const { entries, stop } = follow<Callback>('callbacks', 'tail', '--lead', leadId)
    await expect.poll(() => entries().length).toBe(500)
    await control().clock.advance({ by: 'PT24H' })
    const retried = { state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] }
    await expect.poll(() => entries().slice(500)).toMatchObject([retried])
    await stop()
  })
})

describe('inbox', () => {
  it('shows received callbacks, fails as often as requested, then accepts again', async () => {
    expect(await json('inbox', 'fail', '503')).toEqual({ status: 503 })
    await reported('approved')
    await expect.poll(async () => (await callbacks())[0]?.attempts).toMatchObject([{ status: 503 }])
    expect(await text('inbox', 'show')).toMatch(/responds with 503[\s\S]*loan_issued +503/)
    expect(await json('inbox', 'take')).toEqual({ status: 200 })
    expect(await json('inbox', 'show')).toEqual(await control().inbox.show())
  })
})
