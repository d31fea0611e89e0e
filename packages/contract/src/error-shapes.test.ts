import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fieldIssues } from './error-shapes.ts'

function sentences(shape: z.ZodMiniType, input: unknown): [string, string][] {
  const result = shape.safeParse(input)
  return result.success ? [] : fieldIssues(result.error.issues, input).map(({ field, issue }) => [field, issue])
}

it.each([
  [z.string(), 5, 'must be a string'],
  [z.int(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be an integer'],
  [z.array(z.string()), 'x', 'must be an array'],
  [z.array(z.string()).check(z.maxLength(1)), [1, 2], 'must hold at most 1 items'],
  [z.object({}), 'x', 'must be an object'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.ipv4(), 'x', 'must be an IPv4 address, such as 203.0.113.7'],
  [z.string().check(z.minLength(1)), '', 'must not be empty'],
  [z.string().check(z.maxLength(2)), 'abc', 'must be at most 2 characters long'],
  [z.int().check(z.gte(3)), 2, 'must be at least 3'],
  [z.int().check(z.lte(3)), 4, 'must be at most 3'],
] as const)('says what would be right: %#', (shape, value, issue) => {
  expect(sentences(z.object({ field: shape }), { field: value })).toEqual([['field', issue]])
})

it('names fields that are not known, where none may be', () => {
  expect(sentences(z.strictObject({}), { a: 1, b: 2 })).toEqual([
    ['a', 'is not known here: check its spelling, or leave it out'],
    ['b', 'is not known here: check its spelling, or leave it out'],
  ])
})

it('reports a field once, with its first issue', () => {
  expect(sentences(z.object({ name: z.string().check(z.minLength(1)) }), { name: [] })).toEqual([
    ['name', 'must be a string'],
  ])
})

it('names an item of a list by its position', () => {
  expect(sentences(z.object({ list: z.array(z.int()) }), { list: [1, 'x'] })).toEqual([['list.1', 'must be a number']])
})

it('takes a field from the body itself, not from its prototype', () => {
  expect(sentences(z.object({ toString: z.string() }), {})).toEqual([['toString', 'is required']])
})
