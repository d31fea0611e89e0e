import type { ControlReply } from '@lead-distribution/simulator'

/**
 * An event from a sandbox. Its id is where a later stream can resume.
 * @category Sandbox
 */
export type SandboxEvent = ControlReply<'streamEvents'> & { readonly id?: string | undefined }

/**
 * The options of an event stream.
 * @category Options
 */
export interface EventOptions {
  /** Ends the stream: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The id of the last event you received. Without it, the stream starts with the events from now on. */
  readonly lastEventId?: string | undefined
}

/**
 * Parses events from pieces of text with arbitrary boundaries, until they end, the reader stops, or the signal aborts.
 */
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

/** Parses the event in a block of lines; undefined for a comment. */
function* eventIn(block: string): Generator<SandboxEvent> {
  const data = /^data: (.*)$/m.exec(block)?.[1]
  if (data === undefined) return
  const id = /^id: (.*)$/m.exec(block)?.[1]
  yield { ...JSON.parse(data), ...(id !== undefined && { id }) }
}
