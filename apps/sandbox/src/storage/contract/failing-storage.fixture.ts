import {
  type CreateSandboxOptions,
  createSandbox,
  type SandboxStorage,
  StorageUnavailable,
  type Timer,
} from '@lead-distribution/simulator'

/** When a transaction fails: before it begins, or at its commit. */
export type FailurePlace = 'its beginning' | 'its commit'

/** A storage that counts its transactions and fails one of them. */
export interface FailingStorage {
  readonly storage: SandboxStorage
  /** The number of transactions begun since the last reset. */
  begun(): number
  /** Resets the count, and fails the transaction with this number, starting from 1; without a number, none fails. */
  arm(number?: number, place?: FailurePlace): void
}

/** Wraps a storage so that it can fail. */
export function failing(inner: SandboxStorage): FailingStorage {
  let begun = 0
  let fails: { number: number; place: FailurePlace } | undefined
  const failsNow = () => {
    begun += 1
    return begun === fails?.number ? fails.place : undefined
  }
  const fail = (): never => {
    throw new StorageUnavailable('The disk is full: this is a test.')
  }
  /** A transaction controlled by the caller: `run` gets the result with which the transaction ends. */
  async function transaction<Result>(run: (end: () => void) => Promise<Result>): Promise<Result> {
    const place = failsNow()
    if (place === 'its beginning') fail()
    return run(place ? fail : () => undefined)
  }
  /** A transaction that is either committed as a whole or not at all. */
  const whole = <Result>(run: () => Promise<Result>) =>
    transaction(end => {
      end()
      return run()
    })

  return {
    begun: () => begun,
    arm(number, place = 'its beginning') {
      begun = 0
      fails = number === undefined ? undefined : { number, place }
    },
    storage: {
      place: inner.place,
      of: tenant => ({
        transact: work =>
          transaction(end =>
            inner.of(tenant).transact(async tables => {
              const result = await work(tables)
              end()
              return result
            }),
          ),
        read: work => whole(() => inner.of(tenant).read(work)),
      }),
      addTenant: record => whole(() => inner.addTenant(record)),
      replaceTenant: record => whole(() => inner.replaceTenant(record)),
      clearTenant: record => whole(() => inner.clearTenant(record)),
      deleteTenant: tenant => whole(() => inner.deleteTenant(tenant)),
      listTenants: () => whole(() => inner.listTenants()),
      saveSnapshot: (tenant, snapshot) => whole(() => inner.saveSnapshot(tenant, snapshot)),
      restoreSnapshot: (tenant, name, finish) =>
        transaction(end =>
          inner.restoreSnapshot(tenant, name, async (saved, tables) => {
            const restored = await finish(saved, tables)
            end()
            return restored
          }),
        ),
      listSnapshots: tenant => whole(() => inner.listSnapshots(tenant)),
      deleteSnapshot: (tenant, name) => whole(() => inner.deleteSnapshot(tenant, name)),
      openSnapshot: (tenant, name) => whole(() => inner.openSnapshot(tenant, name)),
      addSnapshot: (tenant, snapshot, fill) => whole(() => inner.addSnapshot(tenant, snapshot, fill)),
      health: () => inner.health(),
      close: () => inner.close(),
    },
  }
}

/** The fixed time of the sandboxes from {@link sandboxOver}. */
export const timeOfTests = Date.UTC(2026, 5, 15, 12)

/** Timers that never fire, so nothing is retried later. */
const noTimer: Timer = { after: () => () => undefined }

/**
 * Opens a sandbox with a fixed time over a storage, and returns a function that calls it. Storage errors are expected.
 */
export async function sandboxOver(storage: SandboxStorage, options: Partial<CreateSandboxOptions> = {}) {
  const sandbox = await createSandbox({
    storage,
    clock: { now: () => timeOfTests },
    timer: noTimer,
    entropy: { bytes: length => new Uint8Array(length).fill(1) },
    dialer: { get: async () => ({ status: 204 }), post: async () => ({ status: 204 }), close: () => undefined },
    origin: 'http://127.0.0.1:4010',
    access: {},
    allowedCallbackHosts: [],
    onError(error) {
      if (!(error instanceof StorageUnavailable)) throw error
    },
    ...options,
  })
  const call = async (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await sandbox.handle({
      method,
      target,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    // A snapshot file is NDJSON.
    const isJson = response.headers['content-type']?.startsWith('application/json')
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(response.body) : undefined }
  }
  return { call, account: sandbox.account, close: sandbox.close }
}
