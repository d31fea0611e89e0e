import { describe, expect, it } from 'vitest'
import { readParameters, uuidPattern } from './search-state.ts'

const parameters = { state: ['pending', 'failed'], lead_id: uuidPattern } as const

const read = (search: string) => readParameters(parameters, new URLSearchParams(search))

describe('the parameters of an address', () => {
  it('are read by name, and others are ignored', () => {
    const lead_id = '3f0c2b1e-8a4d-4c9b-9d55-0a1b2c3d4e5f'
    expect(read(`?state=failed&lead_id=${lead_id}&page=2`)).toEqual({ state: 'failed', lead_id })
  })

  it('fall back to their defaults when they are missing or not allowed', () => {
    expect(read('')).toEqual({ state: '', lead_id: '' })
    expect(read('?state=lost&lead_id=42')).toEqual({ state: '', lead_id: '' })
  })
})
