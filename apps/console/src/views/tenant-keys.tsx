import { advertiserEnvironment, environmentText, publisherEnvironment } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card } from '../ui/elements.tsx'

/** The keys and secrets of a new tenant, and each application's variables as an `.env` file. */
export function TenantKeys(props: { readonly account: Account; readonly onDone: () => void }) {
  const { account, onDone } = props
  const { base_url, publisher, advertisers, settings } = account
  const signed = settings.callback_signature !== 'none'
  return (
    <>
      <Card
        title="Publisher"
        actions={
          <CopyButton
            small
            label="Copy as .env"
            of="for the publisher"
            text={() => environmentText(publisherEnvironment(account, { signed }))}
          />
        }
      >
        <dl className="facts">
          <Fact name="Base URL" value={base_url} />
          <Fact name="Publisher id" value={publisher.publisher_id} />
          <Fact name="API key" value={publisher.api_key} />
          <Fact name="Callback secret" value={publisher.callback_secret} />
        </dl>
      </Card>
      {advertisers.map(advertiser => (
        <Card
          key={advertiser.advertiser_id}
          title={`Advertiser: ${advertiser.name}`}
          actions={
            <CopyButton
              small
              label="Copy as .env"
              of={`for ${advertiser.name}`}
              text={() => environmentText(advertiserEnvironment({ base_url, advertiser }))}
            />
          }
        >
          <dl className="facts">
            <Fact name="Advertiser id" value={advertiser.advertiser_id} />
            <Fact name="API key" value={advertiser.api_key} />
            <Fact name="Postback secret" value={advertiser.postback_secret} />
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

/** A value of the account, to copy. */
export function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="one-line">
        <code>{value}</code> <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}

/** A key or secret, hidden until revealed. */
export function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <dt>{name}</dt>
      <dd className="one-line">
        <code>{isShown ? value : '••••••••••••'}</code>
        <button type="button" className="small" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Reveal'} <span className="visually-hidden">{name}</span>
        </button>
        <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}
