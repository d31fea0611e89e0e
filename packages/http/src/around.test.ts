import { describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions } from './handler.ts'
import type { BrokenResponse, JsonResponse, Refusal } from './http-message.ts'
import { httpRequest } from './request.fixture.ts'

const operations = { make: { methods: ['POST'], path: '/things', in: 'body' } } as const

type Options = HandlerOptions<typeof operations, string, JsonResponse>

/** A handler whose one operation is wrapped; records what the wrapper saw, and every response. */
function handlerWith(around: NonNullable<Options['around']>, authenticate?: Options['authenticate']) {
  const seen: { principal: string; input: unknown; refused: boolean }[] = []
  const done: string[] = []
  const handle = createHandler<typeof operations, string, JsonResponse>({
    basePath: '/api',
    operations,
    authenticate: authenticate ?? (async () => ({ principal: 'me' })),
    handlers: {
      make: async () => {
        done.push('make')
        return made
      },
    },
    around(principal, call, run, refused) {
      seen.push({ principal, input: call.input, refused })
      return around(principal, call, run, refused)
    },
    maxBodyBytes: 100,
    onError: error => expect.fail(String(error)),
  })
  const post = (text = '{"a":1}', path = '/api/things') => handle(httpRequest('POST', path, { text }))
  return { post, seen, done }
}

const made: JsonResponse = { status: 200, body: { made: true } }
const refusal: Refusal = { status: 401, body: { error: 'unauthorized', message: 'no' } }

describe('the wrapper of a call', () => {
  it('sees the principal and the input, and its response goes out', async () => {
    const { post, seen, done } = handlerWith(async (_principal, _call, run) => ({ ...(await run()), status: 201 }))
    expect(await post()).toMatchObject({ status: 201, body: '{"made":true}' })
    expect(seen).toEqual([{ principal: 'me', input: { a: 1 }, refused: false }])
    expect(done).toEqual(['make'])
  })

  it('decides whether the operation is done at all', async () => {
    const { post, done } = handlerWith(async () => ({ status: 503, body: {} }))
    expect((await post())?.status).toBe(503)
    expect(done).toEqual([])
  })

  it('sees a call whose body could not be read, without an input', async () => {
    const { post, seen } = handlerWith((_principal, _call, run) => run())
    expect((await post('{'))?.status).toBe(400)
    expect(seen).toEqual([{ principal: 'me', input: undefined, refused: false }])
  })

  it('sees a refused call whose principal is known, and that it was refused', async () => {
    const { post, seen, done } = handlerWith(
      (_principal, _call, run) => run(),
      async () => ({ refused: refusal, principal: 'me' }),
    )
    expect((await post())?.status).toBe(401)
    expect(seen).toEqual([{ principal: 'me', input: undefined, refused: true }])
    expect(done).toEqual([])
  })

  it('sees no call of an unknown principal', async () => {
    const { post, seen } = handlerWith(
      (_principal, _call, run) => run(),
      async () => ({ refused: refusal }),
    )
    expect((await post())?.status).toBe(401)
    expect(seen).toEqual([])
  })

  it.each<[BrokenResponse, object]>([
    ['garbled', { status: 200, body: '{"made' }],
    ['cut', { status: 200, broken: 'cut' }],
    ['withheld', { status: 200, broken: 'withheld' }],
  ])('breaks a response on its way: %s', async (broken, expected) => {
    const { post } = handlerWith(async (_principal, _call, run) => ({ ...(await run()), broken }))
    expect(await post()).toMatchObject(expected)
  })
})

it('names the operation of every response that has one', async () => {
  const { post } = handlerWith((_principal, _call, run) => run())
  const responses = [await post(), await post('{'), await post('{}', '/api/nothing'), await post('{}', '/elsewhere')]
  expect(responses.map(response => response && [response.operation, response.status])).toEqual([
    ['make', 200],
    ['make', 400],
    [undefined, 404],
    undefined,
  ])
})
