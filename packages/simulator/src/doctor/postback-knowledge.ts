import type { Account, LeadRecord } from '@lead-distribution/engine'

/** A lead that a postback URL names, and what its token is judged by. */
export interface PostbackLead {
  readonly lead: Pick<LeadRecord, 'lead_id' | 'status' | 'deliveries'>
  /** The account that the lead belongs to. */
  readonly account: Pick<Account, 'advertisers' | 'settings'>
  /** Ids of other leads of the account, newest first: a token may have been made for one of them. */
  readonly otherLeadIds: readonly string[]
}

/** What is known to who looks at a postback URL. Nothing of it is changed. */
export interface PostbackKnowledge {
  /** The base address of the service, such as `http://127.0.0.1:4010/api/v1`. */
  readonly baseUrl: string
  /** The lead of an id in lower case; undefined where there is none. */
  readonly findLead: (leadId: string) => Promise<PostbackLead | undefined>
}
