import {
  type CallbackClaims,
  type CallbackEvent,
  type CallbackReceiver,
  createCallbackReceiver,
  createMemoryClaims,
  type VerifiedCallbackEvent,
  verifyCallback,
} from '@lead-distribution/publisher-sdk/callbacks'
import { type NodeRequest, nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'
import { expect, it } from 'vitest'

const urlSecrets = ['s']
const signature = { secrets: ['whsec_'] }

/** Compiled, never run: a handler mounts only on a receiver that verifies enough for it. */
export function receivers(verified: (event: VerifiedCallbackEvent) => void) {
  const signed = (event: CallbackEvent<'signature'>) => void event
  const anything = (event: CallbackEvent) => void event
  createCallbackReceiver({ verify: { urlSecrets }, handle: verified })
  createCallbackReceiver({ verify: { signature }, handle: signed })
  createCallbackReceiver({ verify: { urlSecrets, signature }, handle: signed, claims: createMemoryClaims() })
  createCallbackReceiver({ verify: 'none', handle: anything, claims: undefined, allowedIps: ['203.0.113.0/24'] })
  createCallbackReceiver({
    verify: { urlSecrets },
    handle: anything,
    isKnownLead: async () => true,
    handleUnknownLead: verified,
  })
  // The values that a queue or a database returns are ignored.
  const queued = async (event: CallbackEvent) => ({ job: event.lead_id })
  const rows = async () => ({ rowCount: 1 })
  const counted: CallbackClaims = { claim: () => 'claimed', confirm: rows, release: rows }
  createCallbackReceiver({
    verify: 'none',
    handle: queued,
    claims: counted,
    isKnownLead: () => true,
    handleUnknownLead: queued,
  })
  // @ts-expect-error a handler that requires a verified event does not mount on an unverified receiver
  createCallbackReceiver({ verify: 'none', handle: verified })
  // @ts-expect-error the same holds for the handler of unknown leads
  createCallbackReceiver({ verify: 'none', handle: anything, isKnownLead: () => true, handleUnknownLead: verified })
  // @ts-expect-error a URL secret is not a signature
  createCallbackReceiver({ verify: { urlSecrets }, handle: signed })
  // @ts-expect-error `verify` is required
  createCallbackReceiver({ handle: anything })
  // @ts-expect-error an empty `verify` proves nothing: use 'none'
  createCallbackReceiver({ verify: {}, handle: anything })
  // @ts-expect-error a callback for an unknown lead may be genuine: `handleUnknownLead` is required
  createCallbackReceiver({ verify: 'none', handle: anything, isKnownLead: () => true })
  // A handler may stop at its time limit.
  createCallbackReceiver({ verify: 'none', handle: async (_, { signal }) => signal.throwIfAborted() })
  // @ts-expect-error `claim` must return the state of the claim
  const silent: CallbackClaims = { claim: () => {}, confirm: () => {}, release: () => {} }
  // @ts-expect-error a boolean does not distinguish a handled event from one that is being handled
  const boolean: CallbackClaims = { claim: () => true, confirm: () => {}, release: () => {} }
  // @ts-expect-error an unconfirmed claim expires with its lease, and its event would be handled again
  const unconfirmed: CallbackClaims = { claim: () => 'claimed', release: () => {} }
  return [silent, boolean, unconfirmed]
}

/** Compiled, never run: the type of an event states its assurance, for every kind of request. */
export async function verifying(node: NodeRequest, handle: (event: VerifiedCallbackEvent) => void) {
  handle(await verifyCallback(new Request('https://publisher.example'), { verify: { urlSecrets } }))
  handle(await verifyCallback(node, { verify: { urlSecrets }, ip: node.socket.remoteAddress }))
  handle(await verifyCallback(node, { verify: { signature }, ip: node.ip, allowedIps: [] }))
  handle(await verifyCallback({ url: '/?lead_id=x', headers: {} }, { verify: { signature } }))
  // @ts-expect-error nothing was verified
  handle(await verifyCallback(node, { verify: 'none' }))
  // @ts-expect-error `verify` is required
  await verifyCallback(node, {})
}

/** Compiled, never run: a request has a URL. */
export async function requests(node: NodeRequest, text: string) {
  const options = { verify: { urlSecrets } }
  await verifyCallback(node, options)
  await verifyCallback({ url: '/', headers: {} }, options)
  // @ts-expect-error an AWS Lambda event is not a request: create one from it
  await verifyCallback({ path: '/', httpMethod: 'GET', headers: {}, requestContext: { path: '/' } }, options)
  // @ts-expect-error an empty object is not a request
  await verifyCallback({}, options)
  // @ts-expect-error no URL
  await verifyCallback({ method: 'GET', headers: {} }, options)
  // @ts-expect-error a URL that may be missing
  await verifyCallback({ method: 'GET', headers: {}, url: text as string | undefined }, options)
}

/** Compiled, never run: the receiver fits the servers of every runtime. */
export function adapters(receive: CallbackReceiver) {
  const denoServe = (request: Request, info: { remoteAddr: { hostname: string } }) =>
    receive(request, { ip: info.remoteAddr.hostname })
  const hono = (context: { req: { raw: Request } }) => receive(context.req.raw)
  const fetchHandler: (request: Request) => Promise<Response> = receive
  const http = nodeCallbacks(receive, { target: ({ headers, url }) => `${headers['x-prefix']}${url}` })
  // @ts-expect-error no target
  nodeCallbacks(receive, { target: () => undefined })
  return [denoServe, hono, fetchHandler, http]
}

/** Compiled, never run: both vocabularies map to one canonical name. */
export function events(event: CallbackEvent): string {
  switch (event.event) {
    case 'registration':
    case 'approved':
    case 'rejected':
    case 'completed':
    case 'defaulted':
    case 'converted':
      return event.lead_id
    case 'unrecognized':
      return event.rawEvent
    // @ts-expect-error the other vocabulary's name is only in `rawEvent`
    case 'loan_issued':
      return ''
    default:
      return event.event satisfies never
  }
}

/** Compiled, never run: what must not compile. */
export async function mustNotCompile() {
  // @ts-expect-error no lead id
  await createTestCallback({ url: 'https://publisher.example/cb', event: 'approved' })
}

it('rejects misuse at compile time', () => {
  const all = [receivers, verifying, requests, adapters, events, mustNotCompile]
  expect(all.every(each => typeof each === 'function')).toBe(true)
})
