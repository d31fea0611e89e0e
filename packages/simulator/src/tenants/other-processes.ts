import type { ProcessMessage, SharedStorage, StreamOf } from '../storage/shared-storage.ts'
import type { EventHub } from '../stream/event-hub.ts'
import type { Timer } from '../time/clock.ts'
import { joined } from '../time/locks.ts'
import type { OpenTenants } from './open-tenants.ts'

/** How long a process that lives may take to answer, and how often the living ones are looked at meanwhile, milliseconds. */
const answerMs = 5_000
const lookMs = 100

/** How many tenants a question names at most; one about more is about all. */
const mostNamed = 50

/** What talking to other processes works on. */
export interface OtherProcessesOptions {
  readonly shared: SharedStorage
  readonly open: OpenTenants
  readonly events: EventHub
  readonly timer: Timer
  /** Takes over what any process changed before. */
  readonly refresh: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/**
 * Talks to the processes that share the storage; what they say is all in {@link ProcessMessage}. Returns a function that
 * settles a tenant elsewhere, null for all: once it resolves, each other process has committed what it did to the tenant
 * before, with its journal, and stores from then on what the streams of this process show.
 */
export function createOtherProcesses({ shared, open, events, timer, refresh, onError }: OtherProcessesOptions) {
  /** What is called with each answer to a question that is open. */
  const questions = new Map<number, (from: number) => void>()
  let asked = 0
  let wanted = new Set<StreamOf>()

  async function answer(question: number, tenants: readonly StreamOf[], to: number): Promise<void> {
    await refresh()
    const isAsked = (name: string) => tenants.includes(null) || tenants.includes(name)
    const found = [...open.tenants.values()].filter(({ record }) => isAsked(record.tenant))
    await Promise.all(found.map(tenant => tenant.commit()))
    shared.send({ type: 'answer', question, to })
  }

  shared.onMessage((message: ProcessMessage, from) => {
    if (message.type === 'progress') open.tenants.get(message.tenant)?.progress.notify()
    // Nothing is lost where it fails: the next look has it.
    if (message.type === 'published' && events.streams().length > 0) refresh().catch(onError)
    if (message.type === 'question') answer(message.question, message.tenants, from).catch(onError)
    if (message.type === 'answer' && message.to === shared.process) questions.get(message.question)?.(from)
  })

  async function ask(): Promise<void> {
    const tenants = wanted.size > mostNamed ? [null] : [...wanted]
    wanted = new Set()
    await shared.readStreams(events.streams())
    const missing = new Set(await shared.listOthers())
    if (missing.size === 0) return
    const question = ++asked
    let answered = Promise.withResolvers<void>()
    questions.set(question, from => {
      missing.delete(from)
      if (missing.size === 0) answered.resolve()
    })
    try {
      shared.send({ type: 'question', question, tenants })
      for (let ms = 0; missing.size > 0; ms += lookMs) {
        if (ms >= answerMs) return onError(new Error(unanswered))
        const cancel = timer.after(lookMs, answered.resolve)
        await answered.promise
        cancel()
        if (missing.size === 0) return
        answered = Promise.withResolvers()
        const living = new Set(await shared.listOthers())
        for (const process of missing) if (!living.has(process)) missing.delete(process)
      }
    } finally {
      questions.delete(question)
    }
  }

  const askTogether = joined(ask)
  return (tenant: StreamOf) => {
    wanted.add(tenant)
    return askTogether()
  }
}

const unanswered = `Another process of the database did not answer within ${answerMs / 1000} seconds: what it did a moment ago may be missing from what was read. Check its load, or restart it.`
