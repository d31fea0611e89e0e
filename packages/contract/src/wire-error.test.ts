import { expect, it } from 'vitest'
import { docUrl, errorCodeDocUrl, IssueList, maxIssues, validationError, wireError } from './wire-error.ts'

it('omits the details if there are none', () => {
  expect(wireError('not_found', 'No such lead.')).toEqual({
    status: 404,
    body: { error: 'not_found', message: 'No such lead.' },
  })
})

it('names every field in the details, and the first five in the message', () => {
  const details = ['a', 'b', 'c', 'd', 'e', 'f'].map(field => ({ field, issue: 'is required' }))
  const { status, body } = validationError(details)
  expect([status, body.error, body.details]).toEqual([400, 'validation_error', details])
  expect(body.message).toContain('a, b, c, d, e.')
})

const issues = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ field: `f${index}`, issue: 'is wrong' }))
const more = (count: number) => ({ field: 'body', issue: `has ${count} more issues that are not listed` })

it.each([
  [maxIssues - 1, issues(99)],
  [maxIssues, issues(100)],
  [maxIssues + 1, [...issues(99), more(2)]],
  [100_000, [...issues(99), more(99_901)]],
])('lists at most a hundred of %i issues, the last of which counts the rest', (count, details) => {
  expect(validationError(issues(count)).body.details).toEqual(details)
})

it('creates only the issues that it lists, and can list them again', () => {
  const list = new IssueList()
  let made = 0
  for (const issue of issues(1_000))
    list.add(() => {
      made += 1
      return issue
    })
  expect([made, list.list().length]).toEqual([maxIssues, maxIssues])
  expect(validationError(list.list()).body.details).toEqual(list.list())
})

it.each([
  [200, 'x'.repeat(200)],
  [201, `${'x'.repeat(199)}…`],
  [1_000_000, `${'x'.repeat(199)}…`],
])('shortens a field name of %i characters to 200', (length, field) => {
  const { body } = validationError([{ field: 'x'.repeat(length), issue: 'is not known' }])
  expect(body.details).toEqual([{ field, issue: 'is not known' }])
  expect(body.message).toContain(`: ${field}.`)
})

it('has a page for each error, and none for a code that the service does not have', () => {
  const pages = 'https://github.com/lead-distribution/toolkit/blob/main/docs/errors'
  expect(docUrl('rejections', 'blacklisted')).toBe(`${pages}/rejections/blacklisted.md`)
  expect(errorCodeDocUrl('not_found')).toBe(`${pages}/service/not_found.md`)
  for (const code of ['bad_gateway', 'toString', '', null, undefined]) expect(errorCodeDocUrl(code)).toBeUndefined()
})
