import { expect, it } from 'vitest'
import { createRecorder } from './certify-sandbox.ts'

const request = (target: string) => ({
  method: 'POST',
  target,
  headers: { apikey: 'k' },
  body: new TextEncoder().encode('{}'),
})
const response = { status: 200, headers: {}, body: '{"status":"new"}' }
const answer = async () => response

it('records what an application sends, byte for byte, and nothing of the sandbox’s own paths', async () => {
  const recorder = createRecorder()
  await recorder.intercept(request('/api/v1/lead?a=%2B'), answer)
  await recorder.intercept(request('/_sandbox/v1/tenants'), answer)
  expect(recorder.calls).toMatchObject([
    { target: '/api/v1/lead?a=%2B', headers: { apikey: 'k' }, body: '{}', response },
  ])
})

it('changes responses while some work is done, and not after it', async () => {
  const recorder = createRecorder()
  const send = async () => (await recorder.intercept(request('/api/v1/lead'), answer)).status
  expect(await recorder.changing((_, answered) => ({ ...answered, status: 418 }), send)).toBe(418)
  expect(await recorder.changing(() => undefined, send)).toBe(200)
  await expect(
    recorder.changing(
      () => response,
      () => Promise.reject(new Error('broken')),
    ),
  ).rejects.toThrow('broken')
  expect(await send()).toBe(200)
})
