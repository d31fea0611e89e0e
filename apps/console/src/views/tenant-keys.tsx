import { advertiserEnvironment, environmentText, publisherEnvironment } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useReadOnly } from '../data/live.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card } from '../ui/elements.tsx'

/** The keys and secrets of a new tenant, and each application's variables as an `.env` file. */
export function TenantKeys(props: { readonly account: Account; readonly onDone: () => void }) {
  const { account, onDone } = props
  const { base_url, publisher, advertisers } = account
  return (
    <>
      <Card title="Publisher" actions={<CopyEnvironment account={account} />}>
        <dl className="facts">
          <CopyFact name="Base URL" value={base_url} />
          <CopyFact name="Publisher ID" value={publisher.publisher_id} />
          <CopyFact name="API key" value={publisher.api_key} />
          <CopyFact name="Callback secret" value={publisher.callback_secret} />
        </dl>
      </Card>
      {advertisers.map(advertiser => (
        <Card
          key={advertiser.advertiser_id}
          title={`Advertiser: ${advertiser.name}`}
          actions={<CopyEnvironment account={account} advertiser={advertiser} />}
        >
          <dl className="facts">
            <CopyFact name="Advertiser ID" value={advertiser.advertiser_id} />
            <CopyFact name="API key" value={advertiser.api_key} />
            <CopyFact name="Postback secret" value={advertiser.postback_secret} />
          </dl>
        </Card>
      ))}
      <div className="actions">
        <button type="button" className="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </>
  )
}

/** Copies the variables of an application as an `.env` file: the publisher's, or an advertiser's. */
export function CopyEnvironment(props: {
  readonly account: Account
  readonly advertiser?: Account['advertisers'][number]
}) {
  const { account, advertiser } = props
  const { base_url, settings } = account
  const signed = settings.callback_signature !== 'none'
  return (
    <CopyButton
      small
      denied={useReadOnly()}
      label="Copy as .env"
      of={`for ${advertiser?.name ?? 'the publisher'}`}
      text={() =>
        environmentText(
          advertiser ? advertiserEnvironment({ base_url, advertiser }) : publisherEnvironment(account, { signed }),
        )
      }
    />
  )
}

/**
 * A value of the account, to copy. With `hides`, it's hidden until it's revealed. The sandbox hides it, and a value with
 * `isSecret`, from a read-only token.
 */
export function CopyFact(props: {
  readonly name: string
  readonly value: string
  readonly isSecret?: boolean
  readonly hides?: boolean
}) {
  const { name, value, hides, isSecret } = props
  const [isShown, setShown] = useState(!hides)
  const readOnly = useReadOnly()
  return (
    <>
      <dt>{name}</dt>
      <dd className="one-line">
        <code>{isShown ? value : '••••••••••••'}</code>
        {hides && (
          <button type="button" className="small" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Reveal'} <span className="visually-hidden">{name}</span>
          </button>
        )}
        <CopyButton bare denied={isSecret || hides ? readOnly : undefined} label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}
