// What msw needs and the global scope of a DOM in a virtual machine lacks.
import { ReadableStream, TransformStream, WritableStream } from 'node:stream/web'
import { BroadcastChannel } from 'node:worker_threads'

for (const [name, value] of Object.entries({ BroadcastChannel, ReadableStream, TransformStream, WritableStream }))
  globalThis[name] ??= value
