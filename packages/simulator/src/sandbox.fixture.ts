import { expect } from 'vitest'
import { manualEgress, manualTime } from './ports.fixture.ts'
import { type CreateSandboxOptions, createSandbox } from './sandbox.ts'
import { createMemoryStorage } from './storage/memory-storage.ts'

/** A sandbox with a manual clock, and a function to call it. */
export async function openSandbox(options: Partial<CreateSandboxOptions> = {}) {
  const time = manualTime()
  let drawn = 0
  const sandbox = await createSandbox({
    storage: createMemoryStorage(),
    clock: time.clock,
    timer: time.timer,
    entropy: { bytes: count => new Uint8Array(count).fill(++drawn) },
    dialer: {
      get: manualEgress().send,
      post: async () => ({ error: 'no egress in this test' }),
      close: () => undefined,
    },
    origin: 'http://127.0.0.1:4010',
    access: {},
    allowedCallbackHosts: [],
    onError: error => expect.fail(String(error)),
    ...options,
  })
  const call = async (method: string, target: string, body?: object | string, headers: Record<string, string> = {}) => {
    const { status, body: text } = await sandbox.handle({
      method,
      target,
      headers: { 'content-type': 'application/json', ...headers },
      body: new TextEncoder().encode(typeof body === 'object' ? JSON.stringify(body) : (body ?? '')),
    })
    // NDJSON and pages are not JSON as a whole.
    const json = /^[[{][^\n]*$/.test(text) ? JSON.parse(text) : undefined
    return { status, json, text }
  }
  return { sandbox, time, call }
}
