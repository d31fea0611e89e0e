/** What `fetch` rejects with where the network fails, in the form that Node gives it: the code stands in its `cause`. */
export function networkFault(code: 'ECONNREFUSED' | 'ECONNRESET' | 'ENOTFOUND', why: string): TypeError {
  const syscall = { ECONNREFUSED: 'connect', ECONNRESET: 'read', ENOTFOUND: 'getaddrinfo' }[code]
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${why}`), { code, syscall }) })
}

/** What a promise comes to, unless the signal aborts before: then its reason, as with `fetch`. */
export async function untilAborted<Value>(signal: AbortSignal | undefined, promise: Promise<Value>): Promise<Value> {
  if (!signal) return promise
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  try {
    if (signal.aborted) abort()
    return await Promise.race([aborted, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
