import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { formatWord } from '../data/format.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, ErrorNote, Field, PageHeader, Prose, StatusBadge } from '../ui/elements.tsx'

/** Diagnoses a postback URL, check by check. */
export function DiagnosePostback() {
  const { tenant = '' } = useParams()
  const [url, setUrl] = useState('')
  const diagnose = useMutation({ mutationFn: () => sandbox.control(tenant).diagnosePostback(url.trim()) })
  return (
    <>
      <PageHeader
        title="Diagnose a postback"
        about="Paste a postback URL as the advertiser calls it. It goes through the same checks as a real call, but nothing is recorded. You can copy one from the page of a distributed lead."
      />
      <Card title="Postback URL">
        <form
          className="stack"
          onSubmit={event => {
            event.preventDefault()
            diagnose.mutate()
          }}
        >
          <Field label="URL">
            {ids => (
              <textarea
                {...ids}
                rows={4}
                required
                spellCheck={false}
                placeholder="http://127.0.0.1:4010/api/v1/lead/…/status?token=…&event=approved"
                value={url}
                onChange={event => setUrl(event.target.value)}
              />
            )}
          </Field>
          <div className="actions">
            <button type="submit" className="primary" disabled={diagnose.isPending}>
              Diagnose
            </button>
          </div>
        </form>
        <ErrorNote error={diagnose.error} />
      </Card>
      {diagnose.data && (
        <Card title="Findings" flush>
          <ol className="items" aria-live="polite">
            {diagnose.data.findings.map(({ check, verdict, message }) => (
              <li key={check}>
                <StatusBadge word={verdict} /> <strong className="name">{formatWord(check)}</strong>{' '}
                <span className="grow">
                  <Prose text={message} />
                </span>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  )
}
