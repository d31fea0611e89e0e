import { expect, it } from 'vitest'
import { choices, draftOfRequest, emailOf, forNextCustomer } from './draft.ts'
import { newUuid } from './new-uuid.ts'

it('offers each choice once', () => {
  const ids = choices.map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(30)
  expect(new Set(ids).size).toBe(ids.length)
})

it('offers each choice of a group under a different name', () => {
  for (const isForced of [false, true]) {
    const labels = choices.filter(each => each.isForced === isForced).map(({ label }) => label)
    expect(labels.filter((label, place) => labels.indexOf(label) !== place)).toEqual([])
  }
})

it('keeps the headers and the forced outcome of a sent request for the next customer', () => {
  const bodyOf = (address: string) => JSON.stringify({ customer: { contact: { email: { address } } } })
  const headers = { 'content-type': 'application/json', 'x-sandbox-scenario': 'new' }
  const draft = draftOfRequest({ headers, body: bodyOf('blacklisted+1@sandbox.test') })
  const fresh = {
    before: [],
    headers: { 'content-type': 'application/json' },
    body: bodyOf('x@example.com'),
    needsAll: false,
  }
  const next = forNextCustomer({ ...draft, sent: [{ headers, body: draft.body }] }, fresh)
  expect(next).toMatchObject({ headers, needsAll: true })
  expect(next.sent).toBeUndefined()
  expect(emailOf(next)).toMatch(/^blacklisted\+(?!1@).*@sandbox\.test$/)
})

it.each(['{"a":1.50}', '{"a":1,"a":2}', '{"broken":'])('does not rewrite a body that was sent: %s', body => {
  expect(draftOfRequest({ headers: {}, body }).body).toBe(body)
})

it('keeps edits for the next customer and changes only the email address', () => {
  const bodyOf = (address: string, amount: number) =>
    JSON.stringify({ customer: { contact: { email: { address } } }, amount }, null, 2)
  const draft = { before: [], headers: {}, body: bodyOf('first@example.com', 1), needsAll: false }
  const fresh = { ...draft, body: bodyOf('next@example.com', 1) }
  expect(forNextCustomer(draft, fresh)).toBe(fresh)
  expect(forNextCustomer({ ...draft, body: bodyOf('first@example.com', 7), isEdited: true }, fresh).body).toBe(
    bodyOf('next@example.com', 7),
  )
})

it('creates a different random UUID each time', () => {
  const made = Array.from({ length: 100 }, newUuid)
  for (const uuid of made) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(made).size).toBe(made.length)
})
