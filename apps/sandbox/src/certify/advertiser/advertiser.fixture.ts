import type { AdvertiserLead } from '@lead-distribution/simulator'
import { afterAll, beforeAll } from 'vitest'
import { advertiserChecks } from '../certify.ts'
import { type CertifySandbox, openCertifySandbox } from '../certify-sandbox.ts'
import { type AdvertiserDriver, openAdvertiserRound } from './round.ts'

/** An advertiser's application that is no more than what it sends for an event of a lead. */
export type TestAdvertiser = (lead: AdvertiserLead, event: string, way: string) => Promise<unknown>

/** Runs checks against an application, in a sandbox that listens. */
export function advertiserChecker() {
  let sandbox: CertifySandbox
  beforeAll(async () => {
    sandbox = await openCertifySandbox({ port: 0 })
  })
  afterAll(() => sandbox.close())

  /** A round with the application, and with little patience. */
  async function round(
    application: TestAdvertiser,
    ways: { postback: string; report?: string } = { postback: 'postback' },
  ) {
    const drive: AdvertiserDriver = async (way, lead, event) => void (await application(lead, event, way))
    return openAdvertiserRound({ sandbox, profile: 'prose', drive, ways, patienceMs: 400, quietMs: 100 })
  }

  return {
    account: () => sandbox.account(),
    round,
    /** Returns the finding of one check, `failed: …`, followed by its warning. */
    async finds(
      id: string,
      application: TestAdvertiser,
      ways?: { postback: string; report?: string },
    ): Promise<string> {
      const check = advertiserChecks.find(each => each.id === id)
      if (!check) throw new Error(`There is no check ${id}.`)
      const { verdict, seen, warning } = await check.run(await round(application, ways))
      return [`${verdict}: ${seen}`, warning].join(' ').trim()
    },
  }
}

/** Fires a postback URL as it should be; errors on the way are ignored. */
export function fire(url: string, init: RequestInit = {}): Promise<Response | undefined> {
  return fetch(url, { redirect: 'manual', ...init }).catch(() => undefined)
}

/** Fires it until it is answered 200, eight times at most. */
export async function insist(url: string, init?: RequestInit): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    const reply = await fire(url, init)
    if (reply?.ok || (reply && reply.status < 500)) return
  }
}
