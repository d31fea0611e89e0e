import { expect, it } from 'vitest'
import { openTenantClient } from '../control/tenant-client.fixture.ts'
import { type FaultPreset, faultPresetFields, faultPresets } from './fault-presets.ts'

const presets = Object.entries<FaultPreset>(faultPresets)

it.each(presets)(
  'the control plane takes the preset %s, with its least, usual and greatest values',
  async (_, preset) => {
    const { done } = await openTenantClient()
    const { times, seconds } = faultPresetFields
    for (const values of [
      { times: times.min, seconds: seconds.min },
      { times: times.usual, seconds: seconds.usual },
      { times: times.max, seconds: seconds.max },
    ])
      expect(await done('POST', '/faults', preset.fault(values))).toMatchObject(preset.fault(values))
  },
)
