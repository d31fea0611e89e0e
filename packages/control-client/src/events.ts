import type { ControlReply } from '@lead-distribution/simulator'

/**
 * An event of a sandbox, with the id after which a later stream can continue.
 * @category Sandbox
 */
export type SandboxEvent = ControlReply<'streamEvents'> & { readonly id?: string | undefined }

/**
 * Options of a stream of events.
 * @category Options
 */
export interface EventOptions {
  /** Ends the stream: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The id of the last event that you got; without it the events begin now. */
  readonly lastEventId?: string | undefined
}

/** Reads the events of pieces of text, however they are cut, until they end, their reader stops, or the signal says so. */
export async function* readEvents(
  open: () => Promise<AsyncIterable<string>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SandboxEvent, void, undefined> {
  signal?.throwIfAborted()
  const pieces = (await open())[Symbol.asyncIterator]()
  const stop = () => void pieces.return?.()
  signal?.addEventListener('abort', stop)
  try {
    for (let unread = ''; ; ) {
      const { done, value } = await pieces.next()
      signal?.throwIfAborted()
      if (done) return
      const blocks = `${unread}${value}`.split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) yield* eventIn(block)
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** The event of a block of lines; none in a comment. */
function* eventIn(block: string): Generator<SandboxEvent> {
  const data = /^data: (.*)$/m.exec(block)?.[1]
  if (data === undefined) return
  const id = /^id: (.*)$/m.exec(block)?.[1]
  yield { ...JSON.parse(data), ...(id !== undefined && { id }) }
}
