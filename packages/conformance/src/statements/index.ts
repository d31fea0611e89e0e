import { endpointStatements } from './endpoints.ts'
import { eventStatements } from './events.ts'
import { leadStatements } from './lead.ts'
import { openPointStatements } from './open-points.ts'
import { replyStatements } from './replies.ts'

/** Every statement of the specification by its id: the section, a slash, and a name within the section. */
export const statements = {
  ...leadStatements,
  ...replyStatements,
  ...endpointStatements,
  ...eventStatements,
  ...openPointStatements,
} as const

/** The id of a statement of the specification, such as `2.8/loan_amount`. */
export type StatementId = keyof typeof statements
