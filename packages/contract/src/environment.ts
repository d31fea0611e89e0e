const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a URL's host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname)
}

/** Whether a URL's host is a sandbox: its first label is `sandbox` (Spec 9), or it is this machine itself. */
export function isSandboxHost(hostname: string): boolean {
  return hostname.startsWith('sandbox.') || isLoopback(hostname)
}
