/** Where a lead comes from: campaign attribution (Spec 2.10). */
export interface Tracking {
  /** Id of the click that brought the customer. */
  click_id?: string
  /** The publisher's own sub-id. */
  sub_id?: string
  /** Id of the campaign. */
  campaign_id?: string
  /** URL of the site where the lead originated. */
  source?: string
}
