// A process that puts a tenant to one of two snapshots in turn and saves it under a third name, until it is killed.
import { openSqliteStorage } from '../sqlite-storage.ts'

const storage = await openSqliteStorage(process.argv[2] as string)

for (let n = 0; ; n++) {
  await storage.restoreSnapshot('t1', n % 2 === 0 ? 'odd' : 'even')
  await new Promise(resolve => process.stdout.write(`restored ${n}\n`, resolve))
  await storage.saveSnapshot('t1', { name: 'last', saved_at: n })
  await new Promise(resolve => process.stdout.write(`saved ${n}\n`, resolve))
}
