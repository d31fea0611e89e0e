import { advertiserEnvironment, environmentText, publisherEnvironment } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { type ReactNode, useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card } from '../ui/elements.tsx'

/** The keys and secrets of a new tenant, and each application's variables as an `.env` file. */
export function TenantKeys(props: { readonly account: Account; readonly onDone: () => void }) {
  const { account, onDone } = props
  const { base_url, publisher, advertisers, settings } = account
  const signed = settings.callback_signature !== 'none'
  return (
    <>
      <Keys title="Publisher" of="for the publisher" variables={() => publisherEnvironment(account, { signed })}>
        <CopyFact name="Base URL" value={base_url} />
        <CopyFact name="Publisher id" value={publisher.publisher_id} />
        <CopyFact name="API key" value={publisher.api_key} />
        <CopyFact name="Callback secret" value={publisher.callback_secret} />
      </Keys>
      {advertisers.map(advertiser => (
        <Keys
          key={advertiser.advertiser_id}
          title={`Advertiser: ${advertiser.name}`}
          of={`for ${advertiser.name}`}
          variables={() => advertiserEnvironment({ base_url, advertiser })}
        >
          <CopyFact name="Advertiser id" value={advertiser.advertiser_id} />
          <CopyFact name="API key" value={advertiser.api_key} />
          <CopyFact name="Postback secret" value={advertiser.postback_secret} />
        </Keys>
      ))}
      <div className="actions">
        <button type="button" className="primary" onClick={onDone}>
          Done
        </button>
      </div>
    </>
  )
}

/** The values of an application, with a button that copies them as variables. */
function Keys(props: {
  readonly title: string
  readonly of: string
  readonly variables: () => Parameters<typeof environmentText>[0]
  readonly children: ReactNode
}) {
  const { title, of, variables, children } = props
  return (
    <Card
      title={title}
      actions={<CopyButton small label="Copy as .env" of={of} text={() => environmentText(variables())} />}
    >
      <dl className="facts">{children}</dl>
    </Card>
  )
}

/** A value of the account, to copy. With `hides`, it's hidden until it's revealed. */
export function CopyFact(props: { readonly name: string; readonly value: string; readonly hides?: boolean }) {
  const { name, value, hides } = props
  const [isShown, setShown] = useState(!hides)
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
        <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}
