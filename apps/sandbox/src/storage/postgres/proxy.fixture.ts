import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** When to cut a connection at a commit. */
interface Cut {
  readonly at: 'before the commit' | 'before its response'
  /** Only connections whose commits do not wait for the disk: those for journals. */
  readonly isRelaxed?: boolean
  /** True to cut only the next one. */
  readonly once: boolean
}

/**
 * A proxy in front of a server. It cuts connections, either before a commit arrives or before its response does. It can
 * also go silent, like a lost machine: all sockets stay open and new ones are accepted, but no data passes.
 */
export async function openProxy(target: string) {
  let cut: Cut | undefined
  let isSilent = false
  const sockets = new Set<Socket>()
  const url = new URL(target)
  const port = Number(url.port)
  const proxy = createServer(here => {
    const there = connect(port, url.hostname)
    for (const socket of [here, there]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => void [here, there].map(each => each.destroy()))
    }
    // A machine that comes back no longer knows its old connections.
    let isLost = false
    let isRelaxed = false
    let cutsAnswer = false
    here.on('data', bytes => {
      isLost ||= isSilent
      if (isLost) return
      isRelaxed ||= bytes.includes('set synchronous_commit = off')
      if (cut && bytes.includes('commit\0') && (isRelaxed || !cut.isRelaxed)) {
        const { at, once } = cut
        if (once) cut = undefined
        if (at === 'before the commit') return void here.destroy()
        cutsAnswer = true
      }
      there.write(bytes)
    })
    there.on('data', bytes => {
      isLost ||= isSilent
      if (cutsAnswer) here.destroy()
      else if (!isLost) here.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url: url.href,
    /** Undefined lets everything pass again. */
    cut(next: Cut | undefined) {
      cut = next
    },
    /** Resolves when a client connects. */
    reached: () => once(proxy, 'connection'),
    /** Goes silent, or lets new connections pass again. */
    silence(silent: boolean) {
      isSilent = silent
    },
  }
}
