import { useMutation } from '@tanstack/react-query'
import { formatWord } from '../data/format.ts'
import type { Values } from '../data/input-values.ts'
import { useTenant } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, PageHeader, Prose, StatusBadge } from '../ui/elements.tsx'
import { Field, Form } from '../ui/forms.tsx'

/** Diagnoses a postback URL, check by check. */
export function DiagnosePostback() {
  const control = sandbox.control(useTenant())
  const diagnose = useMutation({ mutationFn: ({ url = '' }: Values) => control.diagnosePostback(url) })
  return (
    <>
      <PageHeader
        title="Diagnose a postback"
        about="Paste a postback URL as the advertiser calls it. It goes through the same checks as a real request, but nothing is recorded. You can copy one from the page of a distributed lead."
      />
      <Card title="Postback URL">
        <Form action={diagnose} send="Diagnose">
          <Field label="URL">
            {ids => (
              <textarea
                {...ids}
                name="url"
                rows={4}
                required
                spellCheck={false}
                placeholder="http://127.0.0.1:4010/api/v1/lead/…/status?token=…&event=approved"
              />
            )}
          </Field>
        </Form>
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
