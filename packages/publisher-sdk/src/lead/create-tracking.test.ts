import { describe, expect, it } from 'vitest'
import { ValidationError } from '../index.ts'
import { createTracking } from './create-tracking.ts'

const page = 'https://publisher.example/loans/home'

it("reads the click, campaign and page from the URL, and drops the page's query", () => {
  const url = `${page}?gclid=Cj0~a%2Bb&utm_campaign=spring%20sale&email=ana%40example.com#form`
  const tracking = { click_id: 'Cj0~a+b', campaign_id: 'spring sale', source: page }
  expect(createTracking({ url })).toEqual(tracking)
  expect(createTracking({ url: new URL(url) })).toEqual(tracking)
})

it.each([
  ['gclid=a', { click_id: 'a' }],
  ['msclkid=a', { click_id: 'a' }],
  ['fbclid=a', { click_id: 'a' }],
  ['ttclid=a', { click_id: 'a' }],
  ['fbclid=b&click_id=a', { click_id: 'a' }],
  ['gclid=&msclkid=a', { click_id: 'a' }],
  ['utm_campaign=name&utm_id=a', { campaign_id: 'a' }],
  ['subid=a', { sub_id: 'a' }],
  ['constructor=a&cid=b', {}],
])('%s is %o', (query, tracking) => {
  expect(createTracking({ url: `${page}?${query}` })).toEqual({ ...tracking, source: page })
})

describe('the first value that is filled in counts:', () => {
  it.each([
    ['gclid=&gclid=X'],
    ['gclid=%20&gclid=X'],
    ['gclid={gclid}&gclid=X'],
    ['gclid=X&gclid=Y'],
    ['utm_source=a&amp;gclid=X'],
    ['utm_source=a&amp;amp;gclid=X'],
    ['gclid={gclid}&amp;gclid=X'],
    ...[
      ...[
        '{gclid}',
        '{{gclid}}',
        `\${gclid}`,
        '[gclid]',
        '[[gclid]]',
        '%%GCLID%%',
        '%%CAMPAIGN%%',
        '__GCLID__',
        '__CAMPAIGN_ID__',
      ],
      ...[
        '%7Bgclid%7D',
        '%7B%7Bgclid%7D%7D',
        '%257Bgclid%257D',
        '%5Bgclid%5D',
        '{{ad.id}}',
        '{lpurl:gclid}',
        '<gclid>',
      ],
    ].map(macro => [`gclid=${macro}&msclkid=X`]),
  ])('%s', query => {
    expect(createTracking({ url: `${page}?${query}` })).toEqual({ click_id: 'X', source: page })
  })

  it.each([
    '{7}',
    'a{b}',
    '[2]',
    'keeps ids that only resemble a macro: %s',
    '__x__',
    '_X_',
    '%',
    '7%',
    '100%%',
    '$x',
    '<>',
    'Cj0~__A__',
    'amp;',
  ])('which is certain no macro: %s', id => {
    const url = new URL(page)
    url.searchParams.set('gclid', id)
    expect(createTracking({ url }).click_id).toBe(id)
  })

  it('also applies to your own parameters and to fields that you set', () => {
    const url = `${page}?cid={cid}&gclid=X&subid={subid}`
    expect(createTracking({ url, parameters: { click_id: 'cid' }, campaign_id: '{{campaign.id}}' })).toEqual({
      click_id: 'X',
      source: page,
    })
    expect(createTracking({ url: `${page}?gclid=X`, click_id: '{gclid}' }).click_id).toBe('X')
  })
})

it('looks up your own parameters first', () => {
  const url = `${page}?gclid=g&cid=mine&zone=7`
  const parameters = { click_id: 'cid', sub_id: 'zone', campaign_id: undefined }
  expect(createTracking({ url, parameters })).toEqual({ click_id: 'mine', sub_id: '7', source: page })
})

it('prefers the fields that you set, unless they are empty', () => {
  const url = `${page}?gclid=g&utm_id=c`
  const said = { click_id: 'said', sub_id: '', campaign_id: undefined, source: 'https://other.example/' }
  expect(createTracking({ url, ...said })).toEqual({ click_id: 'said', campaign_id: 'c', source: said.source })
  expect(createTracking({ sub_id: 's' })).toEqual({ sub_id: 's' })
  expect(createTracking({})).toEqual({})
})

describe('a URL sent by a browser:', () => {
  it.each([
    ['without an origin', '/loans?gclid=a', { click_id: 'a' }],
    ['that starts with two slashes', '//evil.example/loans?gclid=a', { click_id: 'a' }],
    ['that starts with a slash and a backslash', '/\\evil.example', {}],
    ['without slashes', 'http:loans', { source: 'http://loans/' }],
    ['from an app', 'android-app://com.example/loans?gclid=a', { click_id: 'a' }],
    ['with the scheme javascript', 'javascript:alert(1)', {}],
    ['that is malformed', 'https://', {}],
    ['that is empty', '', {}],
    ['with credentials', 'https://ana:pass@publisher.example/x', { source: 'https://publisher.example/x' }],
    ['with a host that no URI has', 'https://a"b.example/x?gclid=a', { click_id: 'a' }],
    [
      'with characters to encode',
      'https://españa.example/é\u202e',
      { source: 'https://xn--espaa-rta.example/%C3%A9%E2%80%AE' },
    ],
    ['with a malformed escape', 'https://publisher.example/%zz', { source: 'https://publisher.example' }],
    ['with brackets', 'https://publisher.example/[a]', { source: 'https://publisher.example' }],
    [
      'with what no URI holds',
      'https://publisher.example/a|b?gclid=a',
      {
        click_id: 'a',
        source: 'https://publisher.example',
      },
    ],
  ])('%s does not throw', (_name, url, tracking) => expect(createTracking({ url })).toEqual(tracking))
})

it.each([{ source: 'publisher.example' }, { source: 'https://example.com/préstamos' }, { click_id: 7 as never }])(
  'rejects %o, like the service',
  said => {
    expect(() => createTracking(said)).toThrow(ValidationError)
  },
)
