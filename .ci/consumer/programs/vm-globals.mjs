// Classes that msw needs and the global scope of a DOM in a VM context lacks.
import { ReadableStream, TransformStream, WritableStream } from 'node:stream/web'
import { BroadcastChannel } from 'node:worker_threads'

for (const [name, value] of Object.entries({ BroadcastChannel, ReadableStream, TransformStream, WritableStream }))
  globalThis[name] ??= value
