/** The remarks around the code blocks that the site shows in tabs, one for each language. */
export const tabs = {
  begin: '<!-- tabs -->',
  end: '<!-- /tabs -->',
}

/** The label of each language in tabs. A reader who chose one gets it on every page. */
const labels: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  sh: 'curl',
  php: 'PHP',
  python: 'Python',
  java: 'Java',
}

/** Returns the HTML around a block in tabs: what Starlight's `<TabItem>` renders, which its `<Tabs>` expects. */
export function tabOf(
  language: string | null | undefined,
  file: string,
): { readonly begin: string; readonly end: string } {
  const label = labels[language ?? '']
  if (!label)
    throw new Error(`${file} has a block of "${language}" in tabs. Use one of ${Object.keys(labels).join(', ')}.`)
  return {
    begin: `<starlight-tab-item data-label="${label}">`,
    end: '</starlight-tab-item>',
  }
}
