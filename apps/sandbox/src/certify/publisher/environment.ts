import type { CertifySandbox } from '../certify-sandbox.ts'

/** What a publisher's application is started with, by the names of its variables. Holds its key. */
export function publisherEnvironment(
  { base_url, publisher, products }: ReturnType<CertifySandbox['account']>,
  signed: boolean,
) {
  return {
    LEAD_BASE_URL: base_url,
    LEAD_PUBLISHER_API_KEY: publisher.api_key,
    PUBLISHER_ID: publisher.publisher_id,
    PRODUCT_ID: products.find(({ active }) => active)?.product_id ?? '',
    ...(signed && { CALLBACK_SIGNING_SECRET: publisher.callback_secret }),
  }
}
