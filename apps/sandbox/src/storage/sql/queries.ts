import type { Kysely } from 'kysely'
import { callbackQueries } from './callback-queries.ts'
import { contentQueries } from './content-queries.ts'
import type { Database } from './database.ts'
import { documentQueries } from './document-queries.ts'
import { incomingQueries } from './incoming-queries.ts'
import { leadQueries } from './lead-queries.ts'
import type { Query } from './query.ts'
import { reportQueries } from './report-queries.ts'
import type { Statement } from './statement.ts'
import { tenantQueries } from './tenant-queries.ts'

/** Every query of the storage. */
export function allQueries(db: Kysely<Database>) {
  return {
    ...leadQueries(db),
    ...callbackQueries(db),
    ...incomingQueries(db),
    ...reportQueries(db),
    ...documentQueries(db),
    ...tenantQueries(db),
    ...contentQueries(db),
  }
}

type Queries = ReturnType<typeof allQueries>

/** Every query, compiled for one dialect. */
export type Statements = {
  readonly [Name in keyof Queries]: Queries[Name] extends Query<infer Params, infer Row>
    ? Statement<Params, Row>
    : never
}
