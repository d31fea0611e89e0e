import { isCalendarDate, isDateTime, isUri, isUuid, type TextFormat } from '@lead-distribution/contract'

/** A known mistake in writing a format: its test, and what to write instead, as the rest of a sentence. */
interface FormatSlip {
  readonly isMade: RegExp | ((text: string, fits: TextFormat['fits']) => boolean)
  readonly instead: string
}

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')

/** The most probable slip first. */
const uuidSlips: readonly FormatSlip[] = [
  { isMade: text => isUuid(text.trim()), instead: 'has spaces around it: take them away.' },
  {
    isMade: text => isUuid(text.replace(/^(urn:uuid:|\{)/i, '').replace(/\}$/, '')),
    instead: 'is the bare UUID: take away what is around it.',
  },
  { isMade: /^[0-9a-f]{32}$/i, instead: 'is written with hyphens: 8, 4, 4, 4 and 12 digits.' },
]

/** The slips of each format. The examples are no customer's data. */
const slips: Readonly<Record<string, readonly FormatSlip[]>> = {
  date: [
    {
      isMade: /^\s*\d{1,2}([/.-])\d{1,2}\1\d{4}\s*$/,
      instead: 'is written with the year first: 31/01/1990 is 1990-01-31.',
    },
    {
      isMade: /^(?!\d{4}-\d\d-\d\d$)\s*\d{4}([/.-]?)\d{1,2}\1\d{1,2}\s*$/,
      instead: 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.',
    },
    {
      isMade: /^\s*\d{4}-\d{2}-\d{2}[Tt ]\d{2}:/,
      instead: 'is a day without a time: 1990-01-31T00:00:00Z is 1990-01-31.',
    },
  ],
  'date-time': [
    {
      isMade: text => isDateTime(`${text}Z`),
      instead: 'has no zone: add Z for UTC or an offset, as in 2026-01-31T09:30:00Z.',
    },
    {
      isMade: text => [text, `${text}Z`].some(each => isDateTime(each.trim().replace(' ', 'T'))),
      instead: 'has a space: write T between day and time, and a zone, as in 2026-01-31T09:30:00Z.',
    },
    {
      isMade: /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}([Zz]|[+-]\d{2}:\d{2})?$/,
      instead: 'has no seconds: write them, and a zone, as in 2026-01-31T09:30:00Z.',
    },
    { isMade: isCalendarDate, instead: 'is only a day: add a time and a zone, as in 2026-01-31T09:30:00Z.' },
    { isMade: /^\d{10}(\d{3})?$/, instead: 'is a timestamp: write a date-time such as 2026-01-31T09:30:00Z.' },
  ],
  email: [
    { isMade: (text, fits) => fits(withoutSpaces(text)), instead: 'has spaces: take them away.' },
    {
      isMade: (text, fits) => fits(text.replace(/^mailto:/i, '')),
      instead: 'begins with mailto: send only the address.',
    },
    {
      isMade: (text, fits) => fits(/<([^<>]+)>\s*$/.exec(text)?.[1] ?? ''),
      instead: 'has a name: send only the address.',
    },
    { isMade: (text, fits) => fits(text.replaceAll(',', '.')), instead: 'has a comma: write a full stop.' },
  ],
  uri: [
    {
      isMade: text => /^[\w-]+(\.[\w-]+)+/.test(text) && isUri(`https://${text}`),
      instead: 'is an absolute URL: write https:// before it.',
    },
    { isMade: text => isUri(withoutSpaces(text)), instead: 'has spaces: take them away, or write %20.' },
  ],
  ipv4: [
    { isMade: (text, fits) => fits(text.trim()), instead: 'has spaces: take them away.' },
    {
      isMade: (text, fits) => fits(text.replace(/:\d+$/, '')),
      instead: 'is an address without a port: take the port away.',
    },
    {
      isMade: /^\s*\[?[0-9a-f]{0,4}:[0-9a-f:.]*\]?\s*$/i,
      instead: 'is an IPv4 address such as 203.0.113.7: IPv6 is not accepted.',
    },
  ],
  uuid: uuidSlips,
}

/** The longest text that gets a hint, characters: no value of these formats is longer, and the patterns stay fast. */
const longestValue = 320

/** What to write instead of a text that misses a format by a known slip; undefined for any other text. */
export function formatHint(text: string, { name, fits }: TextFormat): string | undefined {
  if (text.length > longestValue || fits(text)) return undefined
  return hintOf(text, slips[name] ?? [], fits)
}

/** What to write instead of a text that is nearly a UUID; undefined for any other text. */
export function uuidHint(text: string): string | undefined {
  return text.length > longestValue ? undefined : hintOf(text, uuidSlips, isUuid)
}

function hintOf(text: string, known: readonly FormatSlip[], fits: TextFormat['fits']): string | undefined {
  return known.find(({ isMade }) => (isMade instanceof RegExp ? isMade.test(text) : isMade(text, fits)))?.instead
}
