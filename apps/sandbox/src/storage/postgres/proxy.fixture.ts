import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Cuts a connection at a commit. */
interface Cut {
  readonly at: 'before the commit' | 'before its response'
  /** Only a connection whose commits do not wait for the disk: that of journals. */
  readonly isRelaxed?: boolean
  /** True to cut the next one alone. */
  readonly once: boolean
}

/**
 * Stands before a server. It cuts connections, before a commit arrives there or before its response arrives here, or goes
 * silent, as a machine does that is lost: all sockets stay open, and new ones are accepted, but nothing goes through.
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
    // A machine that comes back does not know the connections that it had.
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
    /** Undefined lets everything through again. */
    cut(next: Cut | undefined) {
      cut = next
    },
    /** Resolves once somebody connects. */
    reached: () => once(proxy, 'connection'),
    /** Goes silent, or lets new connections through again. */
    silence(silent: boolean) {
      isSilent = silent
    },
  }
}
