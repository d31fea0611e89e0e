import { fractionOf, type RandomKey } from '../random/seeded-random.ts'
import type { FaultRecord, FaultStoreState } from '../storage/records.ts'
import type { StoredDocument } from '../storage/stored-document.ts'
import type { Effect, Fault } from './effects.ts'
import { readEffect } from './inject-effect.ts'

export const noFaults: FaultStoreState = { set: 0, faults: [] }

export type FaultStore = ReturnType<typeof createFaultStore>

/** Creates a tenant's fault store. `random` decides faults with a `probability`. */
export function createFaultStore(document: StoredDocument<FaultStoreState>, random: RandomKey) {
  const list = (): readonly FaultRecord[] => document.current().faults
  return {
    list,
    add: (definition: Fault): Promise<FaultRecord> =>
      document.update(async ({ set, faults }) => {
        const fault = { fault_id: `f${set + 1}`, ...definition, matched: 0, acted: 0 }
        return { value: { set: set + 1, faults: [...faults, fault] }, result: fault }
      }),
    /** Removes one fault, or all if no id is given. Returns false if there is no fault with the id. */
    remove: (faultId?: string): Promise<boolean> =>
      document.update(async state => {
        const left = state.faults.filter(({ fault_id }) => faultId !== undefined && fault_id !== faultId)
        const none = faultId !== undefined && left.length === state.faults.length
        return none ? { value: state, result: false } : { value: { ...state, faults: left }, result: true }
      }),
    /**
     * Finds the fault that acts on a call: the first that matches, subject to `after`, `times` and `probability`. Calls
     * `findScenario` only if a fault names a scenario. A fault does not match if `applies` rejects its effect.
     */
    async matchFault(
      target: Fault['match']['operation'],
      findScenario: () => Promise<string | undefined>,
      applies: (effect: Effect) => boolean = () => true,
    ): Promise<FaultRecord | undefined> {
      const here = list().filter(fault => fault.match.operation === target && !isZero(fault) && applies(fault.effect))
      if (here.length === 0) return undefined
      const scenario = here.some(({ match }) => match.scenario !== undefined) ? await findScenario() : undefined
      const matching = here.filter(({ match }) => match.scenario === undefined || isSame(match.scenario, scenario))
      if (matching.length === 0) return undefined
      const ids = new Set(matching.map(({ fault_id }) => fault_id))
      return document.update(async state => countCall(state, ids, random))
    },
    restore: document.restore,
  }
}

/** Increments the counters of each fault that the call matches, up to the first that acts, which it returns. */
function countCall({ set, faults }: FaultStoreState, matching: ReadonlySet<string>, random: RandomKey) {
  let result: FaultRecord | undefined
  const counted = faults.map(fault => {
    if (result || !matching.has(fault.fault_id)) return fault
    if (acts(fault, random)) result = fault
    return { ...fault, matched: fault.matched + 1, acted: fault.acted + (result ? 1 : 0) }
  })
  return { value: { set, faults: counted }, result }
}

/** Returns true if a fault acts on the next call that it matches. */
function acts(fault: FaultRecord, random: RandomKey): boolean {
  const { after = 0, times = Infinity, probability = 1, acted } = fault
  const matched = fault.matched + 1
  if (matched <= after || acted >= times) return false
  return probability >= 1 || fractionOf(random, numberOf(fault) * 2 ** 32 + matched) < probability
}

/** Returns true if a fault never acts. Such a fault does not count calls either. */
function isZero({ times, probability, effect }: FaultRecord): boolean {
  return times === 0 || probability === 0 || readEffect(effect).value === 0
}

/** A fault, and when it acts next. */
export interface TimedFault extends FaultRecord {
  /** `blocked` while an earlier fault acts on every request that this one matches, `used_up` if it never acts again. */
  readonly state: 'active' | 'blocked' | 'used_up'
  /** The earlier fault. */
  readonly blocked_by?: string | undefined
  /** The number of matching requests that it lets through before it acts. */
  readonly lets_through: number
}

/** Adds to a fault when it acts next. `faults` are all of its tenant's. */
export function withTiming(fault: FaultRecord, faults: readonly FaultRecord[]): TimedFault {
  const timing = { ...fault, lets_through: leftToPass(fault) }
  if (isUsedUp(fault)) return { ...timing, state: 'used_up' }
  const blocking = faults.find(other => numberOf(other) < numberOf(fault) && blocks(other, fault))
  return blocking ? { ...timing, state: 'blocked', blocked_by: blocking.fault_id } : { ...timing, state: 'active' }
}

/** Returns true if a fault acts on every request that a later one matches. */
function blocks(fault: FaultRecord, later: FaultRecord): boolean {
  const { match, probability = 1 } = fault
  const coversIt =
    match.operation === later.match.operation &&
    (match.scenario === undefined || isSame(match.scenario, later.match.scenario))
  return coversIt && probability >= 1 && leftToPass(fault) === 0 && !isUsedUp(fault)
}

const isUsedUp = (fault: FaultRecord) => isZero(fault) || fault.acted >= (fault.times ?? Infinity)

const leftToPass = ({ after = 0, matched }: FaultRecord) => Math.max(0, after - matched)

/** Case-insensitive, like an e-mail address. */
const isSame = (name: string, scenario = '') => name.toLowerCase() === scenario.toLowerCase()

const numberOf = ({ fault_id }: FaultRecord) => Number(fault_id.slice(1))
