import { describe, expect, it } from 'vitest'
import type { BrokenResponse, JsonResponse, Refusal } from './http-message.ts'
import { readInput } from './read-input.ts'
import { httpRequest } from './request.fixture.ts'
import { type Call, createService, type Layer, refuseCall } from './service.ts'

const made: JsonResponse = { status: 200, body: { made: true } }
const refusal: Refusal = { status: 401, body: { error: 'unauthorized', message: 'no' } }

/** A service with one operation and these layers before `refuseCall`. Records the order of events. */
function serviceWith(...layers: Layer[]) {
  const done: string[] = []
  const handle = createService({
    basePath: '/api',
    operations: {
      make: {
        methods: ['POST'],
        path: '/things',
        in: 'body',
        handle: async () => {
          done.push('make')
          return made
        },
      },
    },
    layers: [...layers, refuseCall],
    onError: error => expect.fail(String(error)),
  })
  const post = (text = '{"a":1}', path = '/api/things') => handle(httpRequest('POST', path, { text }))
  return { post, done }
}

const read = readInput({ maxBodyBytes: 100 })

describe('layers', () => {
  it('run in order, each around all later ones', async () => {
    const order: string[] = []
    const layer =
      (name: string): Layer =>
      async (_call, next) => {
        order.push(`${name} begins`)
        const response = await next()
        order.push(`${name} ends`)
        return response
      }
    await serviceWith(layer('outer'), layer('inner')).post()
    expect(order).toEqual(['outer begins', 'inner begins', 'inner ends', 'outer ends'])
  })

  it('can change the response', async () => {
    const { post } = serviceWith(async (_call, next) => ({ ...(await next()), status: 201 }))
    expect(await post()).toMatchObject({ status: 201, body: '{"made":true}' })
  })

  it('decide if the operation runs, and how often', async () => {
    const none = serviceWith(async () => ({ status: 503, body: {} }))
    expect((await none.post())?.status).toBe(503)
    expect(none.done).toEqual([])
    const twice = serviceWith(async (_call, next) => {
      await next()
      return next()
    })
    await twice.post()
    expect(twice.done).toEqual(['make', 'make'])
  })

  it('after `readInput` see the input, or undefined if the body could not be read', async () => {
    const seen: Pick<Call, 'input' | 'refused'>[] = []
    const look: Layer = ({ input, refused }, next) => {
      seen.push({ input, ...(refused && { refused }) })
      return next()
    }
    const { post, done } = serviceWith(read, look)
    expect((await post())?.status).toBe(200)
    expect((await post('{'))?.status).toBe(400)
    expect(seen).toEqual([{ input: { a: 1 } }, { input: undefined, refused: expect.objectContaining({ status: 400 }) }])
    expect(done).toEqual(['make'])
  })

  it('still see a call that an earlier layer refused, without its body being read', async () => {
    const seen: Call[] = []
    const { post, done } = serviceWith(
      (call, next) => {
        call.refused = refusal
        return next()
      },
      read,
      (call, next) => {
        seen.push(call)
        return next()
      },
    )
    expect((await post())?.status).toBe(401)
    expect(seen).toEqual([expect.objectContaining({ operation: 'make', input: undefined, refused: refusal })])
    expect(done).toEqual([])
  })

  it.each<[BrokenResponse, object]>([
    ['garbled', { status: 200, body: '{"made' }],
    ['cut', { status: 200, broken: 'cut' }],
    ['withheld', { status: 200, broken: 'withheld' }],
  ])('can break a response in transit: %s', async (broken, expected) => {
    const { post } = serviceWith(async (_call, next) => ({ ...(await next()), broken }))
    expect(await post()).toMatchObject(expected)
  })
})

it('names the operation of every response that has one', async () => {
  const { post } = serviceWith(read)
  const responses = [await post(), await post('{'), await post('{}', '/api/nothing'), await post('{}', '/elsewhere')]
  expect(responses.map(response => response && [response.operation, response.status])).toEqual([
    ['make', 200],
    ['make', 400],
    [undefined, 404],
    undefined,
  ])
})
