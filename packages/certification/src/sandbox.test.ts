import { expect, it } from 'vitest'
import { createRecorder } from './sandbox.ts'

const response = { status: 200, headers: {}, body: '{"status":"new"}' }

function recorded() {
  const recorder = createRecorder()
  const send = (target: string) =>
    recorder.intercept(
      { method: 'POST', target, headers: { apikey: 'k' }, body: new TextEncoder().encode('{}') },
      async () => response,
    )
  return { ...recorder, send }
}

it("records an application's requests byte for byte, except those to the sandbox's own paths", async () => {
  const { send, requests } = recorded()
  await send('/api/v1/lead?a=%2B')
  await send('/_sandbox/v1/tenants')
  expect(requests).toMatchObject([{ target: '/api/v1/lead?a=%2B', headers: { apikey: 'k' }, body: '{}', response }])
})

it('responds instead of the service until the override is disposed of', async () => {
  const { send, override } = recorded()
  const status = async () => (await send('/api/v1/lead')).status
  const teapot = async (_request: object, answer: () => Promise<typeof response>) => ({
    ...(await answer()),
    status: 418,
  })
  {
    using _teapot = override(teapot)
    expect(await status()).toBe(418)
  }
  expect(await status()).toBe(200)
})
