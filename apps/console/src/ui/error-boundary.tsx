import { Component, type ReactNode } from 'react'
import { ErrorNote, PageHeader } from './elements.tsx'

/** Shows what happened in place of what failed to be shown; all around it stays. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }> {
  override readonly state: { readonly thrown?: { readonly error: unknown } } = {}

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } }
  }

  override render() {
    const { thrown } = this.state
    if (!thrown) return this.props.children
    return (
      <div className="failed stack">
        <PageHeader
          title="This view can't be shown"
          about="The page and the sandbox may be different versions. Reload the page. If that doesn't help, report the message below."
        >
          <button type="button" className="primary" onClick={() => globalThis.location.reload()}>
            Reload the page
          </button>
        </PageHeader>
        <ErrorNote error={thrown.error} />
      </div>
    )
  }
}
