import { setTimeout as wait } from 'node:timers/promises'
import type { SharedAccess } from '@lead-distribution/simulator'
import { copyContent, removeContent } from './content.ts'
import type { CheckLease, Executor, Transactor } from './statement.ts'
import { dropName, findTenant, newKey, tenantStatements } from './tenants.ts'

/** The content of a tenant, and its replacement. */
export interface TenantContent {
  /**
   * Runs a work with the key of the content that a tenant has then, or fails where it is not the one of `access`. It waits
   * while the tenant is worked on alone.
   */
  transact<T>(name: string, work: (db: Executor, key: string) => Promise<T>, access?: SharedAccess): Promise<T>
  /** The same for a work that only reads. */
  read<T>(name: string, work: (db: Executor, key: string) => Promise<T>, access?: SharedAccess): Promise<T>
  /** Waits for the transactions of a tenant that were begun, then runs by itself; what comes meanwhile waits. */
  alone<T>(name: string, run: () => Promise<T>): Promise<T>
  /**
   * Fills the content of a new row, which goes where it has no name in the end. Where many processes have the database it
   * is all one transaction: what is staged is nobody else's to remove.
   */
  stage<T>(record: string, fill: (key: string, transact: Transact) => Promise<T>): Promise<T>
  /** Copies the content of a key to a staged one. */
  copy(transact: Transact, keys: { from: string; to: string }): Promise<void>
  /**
   * Runs what gives staged content a name of a tenant that was not worked on alone before. Within one transaction it runs at
   * once: to wait for work that waits for this transaction would be without end.
   */
  afterStaging<T>(name: string, run: () => Promise<T>): Promise<T>
  /** Gives a tenant another record and new content in one step. It must be worked on alone. */
  replace<T = void>(name: string, replacement: Replacement<T>): Promise<T>
  /** Removes the content that no tenant or snapshot has any more. Called last; after some seconds it is left to the next process. */
  finishRemoval(transact: Transact): Promise<void>
}

/** The replacement of a tenant's content. */
export interface Replacement<T> {
  readonly record: string
  /** Fills the content of a key; nothing where it is left out. */
  readonly fill?: (key: string, transact: Transact) => Promise<void>
  /** Runs in the transaction that gives the tenant its new content; what it returns is the result. */
  readonly finish?: (db: Executor, key: string) => Promise<T>
}

type Transact = Transactor['transact']

/** The time that closing waits for the removal, milliseconds. */
const finishMs = 5_000

/** The time that a step of the removal lets copies go first, milliseconds: an endless row of them does not stop it. */
const yieldMs = 1_000

/** The shortest and the longest time after which a removal that failed is tried again, milliseconds. */
const [leastRetryMs, mostRetryMs] = [1_000, 300_000]

/**
 * The content of tenants. Content without a name is removed in steps, including what an earlier process left behind. Each
 * failure of the removal is passed to `onError`.
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
  /** Copies come first: somebody waits for them. Before each step, the removal waits for those under way, up to a moment. */
  const afterCopies: Transact = async work => {
    if (alone.size > 0) await Promise.race([Promise.all(alone.values()), wait(yieldMs, undefined, { ref: false })])
    return background(work)
  }
  removal.start(afterCopies, staged)

  /** Found once for all works that share a transaction. */
  function keyOf(db: Executor, name: string): Promise<string> {
    const finding = findTenant(db, name).then(({ tenant }) => tenant)
    db.keys.set(name, finding)
    finding.then(
      tenant => db.keys.set(name, tenant),
      () => db.keys.delete(name),
    )
    return finding
  }

  /** Fails the transaction unless the tenant has this content and version; the answer is not waited for. */
  function hold(db: Executor, name: string, tenant: string, version: number | null): void {
    // No name has a space.
    const held = `${name} ${version}`
    if (db.keys.get(held) === tenant) return
    db.keys.set(held, tenant)
    db.first(tenantStatements.hold, { name, tenant, version }).catch(() => db.keys.delete(held))
  }

  /** The same for a transaction that only reads. */
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
        // Those that came before are over then.
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
 * Removes what has no name, one after the other, except what is staged. Started again meanwhile, it looks again. If it fails,
 * it tries again later, and later each time.
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
      // Another process may have saved one meanwhile: without its tenant it would never go.
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
      // The next start or the next process goes on.
      if (!isClosing) tryAgain(transact, staged, cause)
    }
    removing = false
  }

  function tryAgain(transact: Transact, staged: ReadonlySet<string>, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Leads of a deleted tenant or snapshot are still stored: ${reason} Tried again in ${retryMs / 1_000} s.`
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
      // What was staged is never going to have a name.
      await removeAll(whileThereIsTime, new Set())
    },
  }
}
