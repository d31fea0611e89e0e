/** The base path, including the version. */ // Spec 9
export const basePath = '/api/v1'

/** The request header that carries the API key. */ // Spec 5
export const keyHeader = 'apikey'

/** The prefix of this toolkit's sandbox API keys. The form of the operator's keys is unknown. */ // Spec 5
export const sandboxKeyPrefix = 'sandbox_'

/** The maximum size of a request body, in bytes, inclusive. The specification sets no limit. */
export const maxBodyBytes = 262_144

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Returns true if a URL's host is this machine. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname)
}

/** Returns true if a URL's host is a sandbox: its first label is `sandbox`, or it is this machine. */ // Spec 9
export function isSandboxHost(hostname: string): boolean {
  return hostname.split('.')[0] === 'sandbox' || isLoopback(hostname)
}
