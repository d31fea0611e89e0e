import { resolveSettings, type Settings, type SettingsOverrides, settingsShape } from '@lead-distribution/engine'
import * as z from 'zod/mini'
import { type Lifecycle, lifecycle } from '../lifecycle/lifecycle.shape.ts'

/** Every setting of a tenant: the switches of the open points, and what its simulated advertiser reports by itself. */
export const tenantSettings = z.extend(settingsShape, { lifecycle })

/** The settings of a tenant, all of them. */
export type TenantSettings = Settings & { lifecycle: Lifecycle }

/** Some of the settings: what a tenant sets by itself. */
export type TenantSettingsOverrides = SettingsOverrides & { lifecycle?: Lifecycle | undefined }

/** A tenant's settings: its profile, and above it what it sets by itself. */
export function resolveTenantSettings({ lifecycle = [], ...overrides }: TenantSettingsOverrides): TenantSettings {
  return { ...resolveSettings(overrides), lifecycle }
}
