// The program of faults in workerd, the runtime of Cloudflare Workers.
import { type FaultSettings, meetFaults } from './faults.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json(await meetFaults((await request.json()) as FaultSettings))
  },
}
