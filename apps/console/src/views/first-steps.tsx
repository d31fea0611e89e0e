import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { isInPage, referenceUrl } from '../data/sandbox.ts'
import { Card } from '../ui/elements.tsx'
import { lazyView } from '../ui/lazy-view.ts'

/** Loaded on demand, because the command needs the catalog of test leads. */
const FirstCommand = lazyView(async () => (await import('./first-command.tsx')).FirstCommand)

/** The guides on the web, because a sandbox serves only the reference. */
const guides = 'https://github.com/lead-distribution/toolkit/blob/main/docs/README.md'

/** Shows how to begin with an empty tenant. */
export function FirstSteps() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Begin here" flush>
      <ol className="first-steps lined">
        <li className="body">
          <h3>Submit a test lead</h3>
          <p className="muted">See how the service decides, and why. Nothing here can reach a real advertiser.</p>
          <Link className="button primary" to="../submit">
            Submit a first lead
          </Link>
        </li>
        <li className="body">
          <h3>Or send it as your application will</h3>
          <details onToggle={() => setOpen(true)}>
            <summary>Show the curl command</summary>
            {isOpen && (
              <Suspense fallback={null}>
                <FirstCommand />
              </Suspense>
            )}
          </details>
        </li>
        <li className="body">
          <h3>Read on</h3>
          <div className="actions">
            <a className="button" href={guides}>
              Open the guides
            </a>
            <a className="button" href={referenceUrl} target={isInPage ? '_blank' : undefined} rel="noreferrer">
              Open the reference
            </a>
          </div>
        </li>
      </ol>
    </Card>
  )
}
