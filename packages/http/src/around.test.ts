import { describe, expect, it } from 'vitest'
import { createHandler, type HandlerOptions, type JsonResponse } from './handler.ts'
import { wireRequest } from './request.fixture.ts'
import type { BrokenReply } from './wire.ts'

type Options = HandlerOptions<'make', string>

/** A handler with something around its one operation; notes what came by there, and every reply. */
function handlerWith(around: NonNullable<Options['around']>, authenticate?: Options['authenticate']) {
  const seen: { caller: string; body: unknown; refused: boolean }[] = []
  const replies: [string | undefined, number][] = []
  const done: string[] = []
  const handle = createHandler<'make', string>({
    basePath: '/api',
    operations: { make: { methods: ['POST'], path: '/things', in: 'body' } },
    authenticate: authenticate ?? (async () => ({ caller: 'me' })),
    implementations: {
      make: async () => {
        done.push('make')
        return { status: 200, body: { made: true } }
      },
    },
    around(caller, call, run, refused) {
      seen.push({ caller, body: call.body, refused })
      return around(caller, call, run, refused)
    },
    onReply: (operation, status) => replies.push([operation, status]),
    maxBodyBytes: 100,
    onError: fault => expect.fail(String(fault)),
  })
  const post = (text = '{"a":1}', path = '/api/things') => handle(wireRequest('POST', path, { text }))
  return { post, seen, replies, done }
}

const refusal: JsonResponse = { status: 401, body: { error: 'unauthorized' } }

describe('what stands around a call', () => {
  it('sees the caller and the body, and what it answers goes out', async () => {
    const { post, seen, done } = handlerWith(async (_caller, _call, run) => ({ ...(await run()), status: 201 }))
    expect(await post()).toMatchObject({ status: 201, body: '{"made":true}' })
    expect(seen).toEqual([{ caller: 'me', body: { a: 1 }, refused: false }])
    expect(done).toEqual(['make'])
  })

  it('decides whether the operation is done at all', async () => {
    const { post, done } = handlerWith(async () => ({ status: 503, body: {} }))
    expect((await post())?.status).toBe(503)
    expect(done).toEqual([])
  })

  it('sees a call whose body could not be read, without the body', async () => {
    const { post, seen } = handlerWith((_caller, _call, run) => run())
    expect((await post('{'))?.status).toBe(400)
    expect(seen).toEqual([{ caller: 'me', body: undefined, refused: false }])
  })

  it('sees a refused call whose caller is known, and that it was refused', async () => {
    const { post, seen, done } = handlerWith(
      (_caller, _call, run) => run(),
      async () => ({ refused: refusal, caller: 'me' }),
    )
    expect((await post())?.status).toBe(401)
    expect(seen).toEqual([{ caller: 'me', body: undefined, refused: true }])
    expect(done).toEqual([])
  })

  it('sees no call of a caller that nobody knows', async () => {
    const { post, seen } = handlerWith(
      (_caller, _call, run) => run(),
      async () => ({ refused: refusal }),
    )
    expect((await post())?.status).toBe(401)
    expect(seen).toEqual([])
  })

  it.each<[BrokenReply, object]>([
    ['garbled', { status: 200, body: '{"made' }],
    ['cut', { status: 200, broken: 'cut' }],
    ['withheld', { status: 200, broken: 'withheld' }],
  ])('can have a reply %s on its way', async (broken, expected) => {
    const { post } = handlerWith(async (_caller, _call, run) => ({ ...(await run()), broken }))
    expect(await post()).toMatchObject(expected)
  })
})

it('tells of every reply, with the operation where there is one', async () => {
  const { post, replies } = handlerWith((_caller, _call, run) => run())
  await post()
  await post('{')
  await post('{}', '/api/nothing')
  await post('{}', '/elsewhere')
  expect(replies).toEqual([
    ['make', 200],
    ['make', 400],
    [undefined, 404],
  ])
})
