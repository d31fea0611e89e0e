import { endpointStatements } from './endpoints.ts'
import { eventStatements } from './events.ts'
import { leadStatements } from './lead.ts'
import { openPointStatements } from './open-points.ts'
import { replyStatements } from './replies.ts'

/** Every statement of the specification by its id: the section, a slash, and a name within the section. */
export const statements: Readonly<Record<string, string>> = {
  ...leadStatements,
  ...replyStatements,
  ...endpointStatements,
  ...eventStatements,
  ...openPointStatements,
}
