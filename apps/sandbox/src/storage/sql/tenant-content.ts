import { setTimeout as wait } from 'node:timers/promises'
import type { SharedAccess } from '@lead-distribution/simulator'
import { copyContent, removeContent } from './content.ts'
import type { CheckLease, Executor, Transactor } from './statement.ts'
import { dropName, findTenant, newKey, tenantStatements } from './tenants.ts'

/** Tenants' content, and how to replace it. */
export interface TenantContent {
  /**
   * Runs a function with the key of the tenant's current content; fails if it is not the one in `access`. Waits while
   * the tenant is locked by `alone`.
   */
  transact<T>(name: string, work: (db: Executor, key: string) => Promise<T>, access?: SharedAccess): Promise<T>
  /** The same for a read-only function. */
  read<T>(name: string, work: (db: Executor, key: string) => Promise<T>, access?: SharedAccess): Promise<T>
  /** Locks a tenant: waits for its pending transactions, then runs exclusively while later ones wait. */
  alone<T>(name: string, run: () => Promise<T>): Promise<T>
  /**
   * Creates a row and fills its content, which is removed if it has no name in the end. If many processes share the
   * database, this is one transaction, so that no other process removes staged content.
   */
  stage<T>(record: string, fill: (key: string, transact: Transact) => Promise<T>): Promise<T>
  /** Copies content from a key to a staged one. */
  copy(transact: Transact, keys: { from: string; to: string }): Promise<void>
  /**
   * Runs the step that names staged content, for a tenant that was not locked before. Within a single transaction it
   * runs immediately, because waiting for work that waits for this transaction would be a deadlock.
   */
  afterStaging<T>(name: string, run: () => Promise<T>): Promise<T>
  /** Replaces a tenant's record and content in one step. The tenant must be locked by `alone`. */
  replace<T = void>(name: string, replacement: Replacement<T>): Promise<T>
  /**
   * Removes the content that no tenant or snapshot has any more. Called last; after a few seconds, the rest is left to
   * the next process.
   */
  finishRemoval(transact: Transact): Promise<void>
}

/** The replacement of a tenant's content. */
export interface Replacement<T> {
  readonly record: string
  /** Fills the content of a key; without it, the content is empty. */
  readonly fill?: (key: string, transact: Transact) => Promise<void>
  /** Runs in the transaction that gives the tenant its new content, and returns the result. */
  readonly finish?: (db: Executor, key: string) => Promise<T>
}

type Transact = Transactor['transact']

/** How long closing waits for the removal, milliseconds. */
const finishMs = 5_000

/** How long a removal step yields to copies, milliseconds, so that continuous copies do not starve it. */
const yieldMs = 1_000

/** The minimum and maximum delay before a failed removal is retried, milliseconds. */
const [leastRetryMs, mostRetryMs] = [1_000, 300_000]

/**
 * Manages tenants' content. Content without a name is removed in steps, including leftovers of an earlier process. Each
 * failed removal is passed to `onError`.
 */
export function createTenantContent(
  { transact, relaxed = transact, background = transact, read, together }: Transactor,
  onRemoved: () => void,
  checkLease: CheckLease = () => {},
  onError: (error: unknown) => void = () => {},
): TenantContent {
  const alone = new Map<string, Promise<void>>()
  const staged = new Set<string>()
  const removal = createRemoval(onRemoved, onError)
  /**
   * Copies have priority, because someone waits for them. Before each step, the removal waits briefly for copies in
   * progress.
   */
  const afterCopies: Transact = async work => {
    if (alone.size > 0) await Promise.race([Promise.all(alone.values()), wait(yieldMs, undefined, { ref: false })])
    return background(work)
  }
  removal.start(afterCopies, staged)

  /** Looked up once for all functions that share a transaction. */
  function keyOf(db: Executor, name: string): Promise<string> {
    const finding = findTenant(db, name).then(({ tenant }) => tenant)
    db.keys.set(name, finding)
    finding.then(
      tenant => db.keys.set(name, tenant),
      () => db.keys.delete(name),
    )
    return finding
  }

  /** Fails the transaction unless the tenant has this content and version; the result is not awaited. */
  function hold(db: Executor, name: string, tenant: string, version: number | null): void {
    // Names contain no spaces.
    const held = `${name} ${version}`
    if (db.keys.get(held) === tenant) return
    db.keys.set(held, tenant)
    db.first(tenantStatements.hold, { name, tenant, version }).catch(() => db.keys.delete(held))
  }

  /** The same for a read-only transaction. */
  function check(db: Executor, name: string, tenant: string): void {
    if (db.keys.get(name) === tenant) return
    db.keys.set(name, tenant)
    db.first(tenantStatements.check, { name, tenant }).catch(() => db.keys.delete(name))
  }

  function runOn(
    runOf: (access: SharedAccess | undefined) => Transact,
    certain: typeof hold,
  ): TenantContent['transact'] {
    const onContent: TenantContent['transact'] = (name, work, access) => {
      const over = alone.get(name)
      if (over) return over.then(() => onContent(name, work, access))
      return runOf(access)(db => {
        if (access?.lease) checkLease(db, name, access.lease)
        const expected = access?.content()
        if (expected !== undefined) {
          certain(db, name, expected, access?.version ?? null)
          return work(db, expected)
        }
        const key = db.keys.get(name)
        return typeof key === 'string' ? work(db, key) : (key ?? keyOf(db, name)).then(found => work(db, found))
      }, name)
    }
    return onContent
  }

  const content: TenantContent = {
    transact: runOn(access => (access?.isRelaxed ? relaxed : transact), hold),
    read: runOn(() => read, check),
    async alone(name, run) {
      for (let before = alone.get(name); before; before = alone.get(name)) await before
      const over = Promise.withResolvers<void>()
      alone.set(name, over.promise)
      try {
        // The earlier ones have ended by then.
        await transact(async () => undefined, name)
        return await run()
      } finally {
        alone.delete(name)
        over.resolve()
        removal.start(afterCopies, staged)
      }
    },
    async stage(record, fill) {
      const tenant = newKey()
      const run = async (transact: Transact) => {
        await transact(db => db.run(tenantStatements.stage, { tenant, record }))
        return fill(tenant, transact)
      }
      staged.add(tenant)
      try {
        return await (together ?? (run => run(background)))(run)
      } finally {
        staged.delete(tenant)
      }
    },
    copy: (transact, keys) => copyContent(transact, { ...keys, inOnePiece: together !== undefined }),
    afterStaging: (name, run) => (together ? run() : content.alone(name, run)),
    replace: (name, { record, fill, finish }) =>
      content.stage(record, async (tenant, transact) => {
        await fill?.(tenant, transact)
        return transact(async db => {
          const result = await finish?.(db, tenant)
          checkLease(db, name, 'change')
          const { tenant: from, seq } = await findTenant(db, name)
          await dropName(db, name)
          await db.write(tenantStatements.becomeTenant, { tenant, name, seq })
          await db.write(tenantStatements.moveSnapshots, { tenant, from })
          return result as never
        })
      }),
    finishRemoval: last => removal.finish(last),
  }
  return content
}

/**
 * Removes unnamed content, one key after the other, except staged content. If started again meanwhile, it checks again.
 * After a failure, it retries with increasing delays.
 */
function createRemoval(onRemoved: () => void, onError: (error: unknown) => void) {
  let [removing, isAsked, isClosing] = [false, false, false]
  let retryMs = leastRetryMs
  let retry: NodeJS.Timeout | undefined

  async function removeOne(transact: Transact, staged: ReadonlySet<string>): Promise<boolean> {
    const nameless = await transact(db => db.all(tenantStatements.listNameless, {}))
    const found = nameless.find(({ tenant }) => !staged.has(tenant))
    if (!found) return false
    await removeContent(transact, found.tenant)
    await transact(async db => {
      // Another process may have saved one meanwhile; without its tenant, it would never be removed.
      await db.write(tenantStatements.dropSnapshots, found)
      await db.write(tenantStatements.remove, found)
    })
    onRemoved()
    return true
  }

  async function removeAll(transact: Transact, staged: ReadonlySet<string>): Promise<void> {
    removing = true
    try {
      do isAsked = false
      while ((await removeOne(transact, staged)) || isAsked)
      retryMs = leastRetryMs
    } catch (cause) {
      // The next start, or the next process, continues.
      if (!isClosing) tryAgain(transact, staged, cause)
    }
    removing = false
  }

  function tryAgain(transact: Transact, staged: ReadonlySet<string>, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Leads of a deleted tenant or snapshot are still stored: ${reason} Retrying in ${retryMs / 1_000} s.`
    onError(new Error(message, { cause }))
    clearTimeout(retry)
    retry = setTimeout(() => start(transact, staged), retryMs).unref()
    retryMs = Math.min(2 * retryMs, mostRetryMs)
  }

  function start(transact: Transact, staged: ReadonlySet<string>): void {
    isAsked = true
    if (!removing) void removeAll(transact, staged)
  }

  return {
    start,
    async finish(transact: Transact): Promise<void> {
      isClosing = true
      clearTimeout(retry)
      const end = performance.now() + finishMs
      const whileThereIsTime: Transact = work =>
        performance.now() < end ? transact(work) : Promise.reject(new Error('The storage is closed.'))
      // Staged content will never get a name.
      await removeAll(whileThereIsTime, new Set())
    },
  }
}
