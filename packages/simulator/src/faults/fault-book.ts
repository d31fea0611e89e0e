import { durationMs } from '@lead-distribution/engine'
import { type ChanceKey, fractionOf } from '../chance/chance-words.ts'
import type { FaultBook, FaultEffect, FaultPlace, FaultRecord } from './fault-record.ts'

/** A fault as it is ordered. */
export type FaultOrder = Omit<FaultRecord, 'fault_id' | 'matched' | 'acted'>

/** The faults of a tenant at work. */
export interface Faults {
  list(): readonly FaultRecord[]
  add(order: FaultOrder): Promise<FaultRecord>
  /** Removes one, or all where none is named. False where there is none of the id. */
  remove(faultId?: string): Promise<boolean>
  /**
   * The fault that acts on a call: the first that matches and whose `after`, `times` and `probability` let it.
   * `scenario` is asked only where a fault wants to know it; a fault whose effect `applies` denies does not match.
   */
  strike(
    place: FaultPlace,
    scenario: () => Promise<string | undefined>,
    applies?: (effect: FaultEffect) => boolean,
  ): Promise<FaultRecord | undefined>
  /** Replaces all of them: the tenant was put back. */
  put(book: FaultBook): void
}

/** What faults work on. */
export interface FaultsOptions {
  /** What `probability` draws from. */
  readonly chance: ChanceKey
  readonly keep: (book: FaultBook) => Promise<void>
}

/** No faults. */
export const noFaults: FaultBook = { set: 0, faults: [] }

/** Sets faults to work from what is kept of them. */
export function createFaults(initial: FaultBook, { chance, keep }: FaultsOptions): Faults {
  let { set, faults } = initial
  const kept = () => keep({ set, faults })
  const replace = (fault: FaultRecord) => {
    faults = faults.map(other => (other.fault_id === fault.fault_id ? fault : other))
  }

  /** Whether a fault that matches acts this time; counts the call. Nothing is awaited: two calls cannot share a count. */
  function acts(fault: FaultRecord): boolean {
    const { after = 0, times = Infinity, probability = 1, acted } = fault
    const matched = fault.matched + 1
    const due = matched > after && acted < times
    const drawn = due && (probability >= 1 || fractionOf(chance, numberOf(fault) * 2 ** 32 + matched) < probability)
    replace({ ...fault, matched, acted: acted + (drawn ? 1 : 0) })
    return drawn
  }

  return {
    list: () => faults,
    async add(order) {
      set += 1
      const fault = { fault_id: `f${set}`, ...order, matched: 0, acted: 0 }
      faults = [...faults, fault]
      await kept()
      return fault
    },
    async remove(faultId) {
      const left = faults.filter(({ fault_id }) => faultId !== undefined && fault_id !== faultId)
      if (faultId !== undefined && left.length === faults.length) return false
      faults = left
      await kept()
      return true
    },
    async strike(place, scenario, applies = () => true) {
      const here = faults.filter(fault => fault.match.operation === place && !isNothing(fault) && applies(fault.effect))
      if (here.length === 0) return undefined
      const called = here.some(({ match }) => match.scenario !== undefined) ? await scenario() : undefined
      const matching = here.filter(({ match }) => match.scenario === undefined || isSame(match.scenario, called))
      // Looked up again: another call may have counted meanwhile.
      const acting = matching.find(({ fault_id }) => faults.some(fault => fault.fault_id === fault_id && acts(fault)))
      if (matching.length > 0) await kept()
      return acting
    },
    put(book) {
      ;({ set, faults } = book)
    },
  }
}

/** Whether a fault is a zero, and therefore as good as none: it never acts, and counts nothing. */
function isNothing({ times, probability, effect }: FaultRecord): boolean {
  return times === 0 || probability === 0 || isNoEffect(effect)
}

function isNoEffect(effect: FaultEffect): boolean {
  if ('latency_ms' in effect) return effect.latency_ms === 0
  if ('duplicate' in effect) return effect.duplicate === 0
  return 'delay' in effect && durationMs(effect.delay) === 0
}

/** Letter case ignored, as it is in an address. */
const isSame = (scenario: string, called = '') => scenario.toLowerCase() === called.toLowerCase()

const numberOf = ({ fault_id }: FaultRecord) => Number(fault_id.slice(1))
