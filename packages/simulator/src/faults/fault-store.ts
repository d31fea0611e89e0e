import { durationMs } from '@lead-distribution/engine'
import { fractionOf, type RandomKey } from '../random/seeded-random.ts'
import type { FaultEffect, FaultRecord, FaultStoreState, FaultTarget } from '../storage/records.ts'

/** A fault to set. */
export type FaultDefinition = Omit<FaultRecord, 'fault_id' | 'matched' | 'acted'>

/** The faults of a tenant. */
export interface FaultStore {
  list(): readonly FaultRecord[]
  add(definition: FaultDefinition): Promise<FaultRecord>
  /** Removes one, or all where none is named. False where there is none of the id. */
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
  /** Replaces all of them. */
  restore(state: FaultStoreState): void
}

/** What a fault store works on. */
export interface FaultStoreOptions {
  /** What `probability` is drawn from. */
  readonly random: RandomKey
  readonly store: (state: FaultStoreState) => Promise<void>
}

/** No faults. */
export const noFaults: FaultStoreState = { set: 0, faults: [] }

/** The faults of a tenant from their stored state. */
export function createFaultStore(initial: FaultStoreState, { random, store }: FaultStoreOptions): FaultStore {
  let { set, faults } = initial
  const storeAll = () => store({ set, faults })
  const replace = (fault: FaultRecord) => {
    faults = faults.map(other => (other.fault_id === fault.fault_id ? fault : other))
  }

  /** Whether a fault that matches acts this time; counts the call. Awaits nothing, so that two calls cannot share a count. */
  function acts(fault: FaultRecord): boolean {
    const { after = 0, times = Infinity, probability = 1, acted } = fault
    const matched = fault.matched + 1
    const due = matched > after && acted < times
    const drawn = due && (probability >= 1 || fractionOf(random, numberOf(fault) * 2 ** 32 + matched) < probability)
    replace({ ...fault, matched, acted: acted + (drawn ? 1 : 0) })
    return drawn
  }

  return {
    list: () => faults,
    async add(definition) {
      set += 1
      const fault = { fault_id: `f${set}`, ...definition, matched: 0, acted: 0 }
      faults = [...faults, fault]
      await storeAll()
      return fault
    },
    async remove(faultId) {
      const left = faults.filter(({ fault_id }) => faultId !== undefined && fault_id !== faultId)
      if (faultId !== undefined && left.length === faults.length) return false
      faults = left
      await storeAll()
      return true
    },
    async matchFault(target, findScenario, applies = () => true) {
      const here = faults.filter(fault => fault.match.operation === target && !isZero(fault) && applies(fault.effect))
      if (here.length === 0) return undefined
      const scenario = here.some(({ match }) => match.scenario !== undefined) ? await findScenario() : undefined
      const matching = here.filter(({ match }) => match.scenario === undefined || isSame(match.scenario, scenario))
      // Found again by its id: another call may have counted meanwhile.
      const acting = matching.find(({ fault_id }) => faults.some(fault => fault.fault_id === fault_id && acts(fault)))
      if (matching.length > 0) await storeAll()
      return acting
    },
    restore(state) {
      ;({ set, faults } = state)
    },
  }
}

/** Whether a fault is a zero: it never acts, and counts nothing. */
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
