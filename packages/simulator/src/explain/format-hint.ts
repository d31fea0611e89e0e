import { type FormatSlip, isCalendarDate, isDateTime, isUri, isUuid, uuidSlips } from '@lead-distribution/contract'
import { emailAddress, ipv4 } from '@lead-distribution/contract/shapes'

const isEmail = (text: string) => emailAddress.safeParse(text).success
const isIpv4 = (text: string) => ipv4.safeParse(text).success
const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '')
const like = (pattern: RegExp) => (text: string) => pattern.test(text)

/** By format, whether a text has it, and the slips that are made, the surest first. The examples are nobody's data. */
const formats: Readonly<
  Record<string, { readonly has: (text: string) => boolean; readonly slips: readonly FormatSlip[] }>
> = {
  date: {
    has: isCalendarDate,
    slips: [
      {
        isMade: like(/^\s*\d{1,2}([/.-])\d{1,2}\1\d{4}\s*$/),
        instead: 'is written with the year first: 31/01/1990 is 1990-01-31.',
      },
      {
        isMade: like(/^(?!\d{4}-\d\d-\d\d$)\s*\d{4}([/.-]?)\d{1,2}\1\d{1,2}\s*$/),
        instead: 'is written with hyphens and two digits each: 1990/1/31 is 1990-01-31.',
      },
      {
        isMade: like(/^\s*\d{4}-\d{2}-\d{2}[Tt ]\d{2}:/),
        instead: 'is a day without a time: 1990-01-31T00:00:00Z is 1990-01-31.',
      },
    ],
  },
  'date-time': {
    has: isDateTime,
    slips: [
      {
        isMade: text => isDateTime(`${text}Z`),
        instead: 'has no zone: add Z for UTC or an offset, as in 2026-01-31T09:30:00Z.',
      },
      {
        isMade: text => [text, `${text}Z`].some(each => isDateTime(each.trim().replace(' ', 'T'))),
        instead: 'has a space: write T between day and time, and a zone, as in 2026-01-31T09:30:00Z.',
      },
      {
        isMade: like(/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}([Zz]|[+-]\d{2}:\d{2})?$/),
        instead: 'has no seconds: write them, and a zone, as in 2026-01-31T09:30:00Z.',
      },
      { isMade: isCalendarDate, instead: 'is a day alone: add a time and a zone, as in 2026-01-31T09:30:00Z.' },
      {
        isMade: like(/^\d{10}(\d{3})?$/),
        instead: 'is a timestamp: write a date-time such as 2026-01-31T09:30:00Z.',
      },
    ],
  },
  email: {
    has: isEmail,
    slips: [
      { isMade: text => isEmail(withoutSpaces(text)), instead: 'has spaces: take them away.' },
      {
        isMade: text => isEmail(text.replace(/^mailto:/i, '')),
        instead: 'begins with mailto: send the address alone.',
      },
      {
        isMade: text => isEmail(/<([^<>]+)>\s*$/.exec(text)?.[1] ?? ''),
        instead: 'has a name: send the address alone.',
      },
      { isMade: text => isEmail(text.replaceAll(',', '.')), instead: 'has a comma: write a full stop.' },
    ],
  },
  uri: {
    has: isUri,
    slips: [
      {
        isMade: text => /^[\w-]+(\.[\w-]+)+/.test(text) && isUri(`https://${text}`),
        instead: 'is an absolute URL: write https:// before it.',
      },
      { isMade: text => isUri(withoutSpaces(text)), instead: 'has spaces: take them away, or write %20.' },
    ],
  },
  ipv4: {
    has: isIpv4,
    slips: [
      { isMade: text => isIpv4(text.trim()), instead: 'has spaces: take them away.' },
      {
        isMade: text => isIpv4(text.replace(/:\d+$/, '')),
        instead: 'is an address without a port: take the port away.',
      },
      {
        isMade: like(/^\s*\[?[0-9a-f]{0,4}:[0-9a-f:.]*\]?\s*$/i),
        instead: 'is an IPv4 address such as 203.0.113.7: IPv6 is not taken.',
      },
    ],
  },
  uuid: { has: isUuid, slips: uuidSlips },
}

/** No value of these formats is longer that a slip is told of; also keeps the patterns quick. */
const longestValue = 320

/** What to write instead of a text that misses a format by a known slip; undefined where it has the format or by none. */
export function formatHint(text: string, format: string): string | undefined {
  const known = formats[format]
  if (!known || text.length > longestValue || known.has(text)) return undefined
  return known.slips.find(({ isMade }) => isMade(text))?.instead
}
