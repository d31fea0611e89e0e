/** The base path with the version. */ // Spec 9
export const basePath = '/api/v1'

/** The request header that carries the API key. */ // Spec 5
export const keyHeader = 'apikey'

/** The prefix of the keys of this toolkit's sandbox. The form of the operator's keys is not known. */ // Spec 5
export const sandboxKeyPrefix = 'sandbox_'

/** The largest request body that is read, bytes. The specification shows no limit; a body of exactly this size is accepted. */
export const maxBodyBytes = 262_144

const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a URL's host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname)
}

/** Whether a URL's host is a sandbox: its first label is `sandbox`, or it is this machine itself. */ // Spec 9
export function isSandboxHost(hostname: string): boolean {
  return hostname.startsWith('sandbox.') || isLoopback(hostname)
}
