import { signCallback } from '@lead-distribution/contract'
import type { ConformanceCase } from '../../conformance-case.ts'
import { expectSame } from '../../expectations/expect-reply.ts'
import { Mismatch, Unclear } from '../../mismatch.ts'
import { recordEvent } from '../../report-status.ts'
import { callbackCaseOf, callbackOf } from './callback-case.ts'

/** What authenticates a callback, where something does (point 14). */
export const signatureCases: readonly ConformanceCase[] = [
  callbackCaseOf('callback_signature', {
    id: 'open/signs-each-callback-by-itself',
    title: 'signs every callback under an id of its own, by the time of its try',
    statements: ['open/callback_signature'],
    weight: 'reading',
    async run(ends, reading) {
      const secret = ends.target.facts.callback_secret
      if (reading === 'none') throw new Unclear('Callbacks are not signed.')
      if (!secret) throw new Unclear('The secret that callbacks are signed with is not known: give --account.')
      const ids = new Set<string>()
      for (const event of ['approved', 'rejected']) {
        const lead_id = await ends.target.distributedLead()
        await recordEvent(ends.target, lead_id, event)
        const { headers, target, at } = await callbackOf(ends, lead_id)
        const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature } = headers
        expectSame(
          'the signature',
          signature?.split(' ').includes(await signCallback({ secret, id, timestamp, target })),
          true,
        )
        const seconds = Math.abs(Number(timestamp) - at / 1000)
        if (!(seconds < 300)) throw new Mismatch('a time of the try that is now', `${seconds} seconds away from it`)
        ids.add(id)
      }
      expectSame('the number of ids', ids.size, 2)
    },
  }),
]
