import { expect, it } from 'vitest'
import { calls, clientOf, errorOf } from './calls.fixture.ts'
import { head, replies, writes } from './steps.fixture.ts'
import { startWireServer } from './wire-server.fixture.ts'

const { make, fine } = calls.submit
const text = JSON.stringify(fine)
const headers = { 'content-type': 'application/json', 'content-length': String(text.length) }

it.each([
  ['in pieces of one byte', writes(...head(200, headers), ...text)],
  ['with a byte order mark', replies(200, `\ufeff${text}`)],
  ['declared as text', replies(200, text, { 'content-type': 'text/plain' })],
  ['without a content type', writes(head(200, { 'content-length': String(text.length) }), text)],
  ['after a 102 and two 103', writes(head(102, {}), head(103, {}), head(103, {}), head(200, headers), text)],
])('reads a response %s', async (_name, step) => {
  const server = await startWireServer(step)
  expect((await make({ client: clientOf(server.baseUrl).client })).meta).toMatchObject({ status: 200, attempts: 1 })
})

it('counts as possibly processed after an unrequested 100, which the runtime treats as an error', async () => {
  const server = await startWireServer(writes(head(100, {}), head(200, headers), text))
  const error = await errorOf(make({ client: clientOf(server.baseUrl, { maxRetries: 0 }).client }))
  expect(error).toMatchObject({ code: 'outcome_unknown', sent: 'maybe' })
})
