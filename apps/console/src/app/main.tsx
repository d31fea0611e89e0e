import { mountConsole } from './mount-console.tsx'

const root = document.getElementById('console')
// The sandbox serves this page at `_sandbox/`.
if (root) mountConsole({ root, baseUrl: new URL('..', globalThis.location.href) })
