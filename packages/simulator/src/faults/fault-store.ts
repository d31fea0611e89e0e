import { durationMs } from '@lead-distribution/contract'
import { fractionOf, type RandomKey } from '../random/seeded-random.ts'
import type { FaultEffect, FaultRecord, FaultStoreState, FaultTarget } from '../storage/records.ts'
import type { StoredDocument } from '../storage/stored-document.ts'

export type FaultDefinition = Omit<FaultRecord, 'fault_id' | 'matched' | 'acted'>

export interface FaultStore {
  list(): readonly FaultRecord[]
  add(definition: FaultDefinition): Promise<FaultRecord>
  /** Removes one fault, or all if no id is given. Returns false if there is no fault with the id. */
  remove(faultId?: string): Promise<boolean>
  /**
   * The fault that acts on a call: the first that matches and whose `after`, `times` and `probability` let it.
   * `findScenario` is called only where a fault names a scenario; a fault whose effect `applies` denies does not match.
   */
  matchFault(
    target: FaultTarget,
    findScenario: () => Promise<string | undefined>,
    applies?: (effect: FaultEffect) => boolean,
  ): Promise<FaultRecord | undefined>
  restore(state: FaultStoreState): void
}

export const noFaults: FaultStoreState = { set: 0, faults: [] }

/** The faults of a tenant over its storage. `random` decides faults with a `probability`. */
export function createFaultStore(document: StoredDocument<FaultStoreState>, random: RandomKey): FaultStore {
  const list = () => document.current().faults
  return {
    list,
    add: definition =>
      document.update(async ({ set, faults }) => {
        const fault = { fault_id: `f${set + 1}`, ...definition, matched: 0, acted: 0 }
        return { value: { set: set + 1, faults: [...faults, fault] }, result: fault }
      }),
    remove: faultId =>
      document.update(async state => {
        const left = state.faults.filter(({ fault_id }) => faultId !== undefined && fault_id !== faultId)
        const none = faultId !== undefined && left.length === state.faults.length
        return none ? { value: state, result: false } : { value: { ...state, faults: left }, result: true }
      }),
    async matchFault(target, findScenario, applies = () => true) {
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

/** Counts a call at each fault that it matches, up to the first that acts on it, which is the result. */
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

/** Returns true if a fault never acts, so that it does not even count calls. */
function isZero({ times, probability, effect }: FaultRecord): boolean {
  return times === 0 || probability === 0 || isNoEffect(effect)
}

function isNoEffect(effect: FaultEffect): boolean {
  if ('latency_ms' in effect) return effect.latency_ms === 0
  if ('duplicate' in effect) return effect.duplicate === 0
  return 'delay' in effect && durationMs(effect.delay) === 0
}

/** Letter case ignored, as it is in an address. */
const isSame = (name: string, scenario = '') => name.toLowerCase() === scenario.toLowerCase()

const numberOf = ({ fault_id }: FaultRecord) => Number(fault_id.slice(1))
