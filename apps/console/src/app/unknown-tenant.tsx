import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { liveKey, useTenant, useTenants } from '../data/live.ts'
import { Card, PageHeader } from '../ui/elements.tsx'
import { TenantList } from './tenant-switcher.tsx'

/**
 * Says that a tenant doesn't exist, and lists the others. Opens it once somebody creates it. `since` is the real time of
 * the request for it, in milliseconds: an older list of tenants may still contain it.
 */
export function UnknownTenant({ since }: { readonly since: number }) {
  const tenant = useTenant()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { data, dataUpdatedAt } = useTenants()
  const isCreated = dataUpdatedAt > since && data?.tenants.some(each => each.tenant === tenant)
  useEffect(() => {
    if (isCreated) void client.resetQueries({ queryKey: liveKey(tenant, 'account') })
  }, [isCreated, client, tenant])
  return (
    <main className="page" id="content">
      <PageHeader
        title={`There is no tenant ${tenant}`}
        about="It was deleted, or the link is for another sandbox. If somebody creates it, this page opens it."
      />
      <Card title="Tenants of this sandbox">
        <TenantList onChoose={name => void navigate(`/${name}/overview`)} />
      </Card>
    </main>
  )
}
