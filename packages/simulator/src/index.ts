export * from './callbacks/inbox-entry.ts'
export * from './ports/sandbox-storage.ts'
export * from './storage/memory-storage.ts'
export * from './tenants/tenant-record.ts'
