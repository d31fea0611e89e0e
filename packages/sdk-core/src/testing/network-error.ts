/** What `fetch` rejects with where the network fails, in the form of Node: the code is in its `cause`. */
export function networkError(code: 'ECONNREFUSED' | 'ECONNRESET' | 'ENOTFOUND', why: string): TypeError {
  const syscall = { ECONNREFUSED: 'connect', ECONNRESET: 'read', ENOTFOUND: 'getaddrinfo' }[code]
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${code}: ${why}`), { code, syscall }) })
}
