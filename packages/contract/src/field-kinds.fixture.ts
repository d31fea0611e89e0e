/** Valid and invalid values of a kind of field. The tests of each field add `null` and a missing value. */
export interface FieldKind {
  readonly right: readonly unknown[]
  readonly wrong: readonly unknown[]
}

const noStrings = [5, true, [], {}, ['x']]
const loneSurrogate = '\ud800'

/** Any text, including an empty one. */
export const text: FieldKind = { right: ['x', '', 'Ñandú 🏠', ' spaces ', loneSurrogate], wrong: noStrings }

/** A non-empty text. */
export const filledText: FieldKind = { right: ['x', 'Ñandú 🏠', loneSurrogate], wrong: ['', ...noStrings] }

export const uuid: FieldKind = {
  right: [
    '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
    '3F2B8C1E-5D1A-4C55-9A70-2B7D0F6F1C11',
    '00000000-0000-0000-0000-000000000000',
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ],
  wrong: [
    '',
    '3f2b8c1e5d1a4c559a702b7d0f6f1c11',
    '{3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11}',
    'urn:uuid:3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
    '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c1',
    'gf2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11',
    '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11\n',
    ...noStrings,
  ],
}

export const date: FieldKind = {
  right: ['1990-05-17', '2024-02-29', '2000-02-29', '1999-12-31'],
  wrong: [
    ...['', '2023-02-29', '2023-02-30', '1900-02-29', '2023-04-31', '1990-13-01', '1990-00-10', '1990-01-00'],
    ...['1990-5-17', '17-05-1990', '1990/05/17', ' 1990-05-17', '1990-05-17T00:00:00Z'],
    ...[19900517, true, [], {}],
  ],
}

export const dateTime: FieldKind = {
  right: [
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00.123456Z',
    '2026-01-31T09:30:00+02:00',
    '2026-01-31t09:30:00z',
    '2016-12-31T23:59:60Z',
    '2017-01-01T01:59:60.5+02:00',
  ],
  wrong: [
    ...['', '2026-01-31', '2026-01-31T09:30:00', '2026-01-31 09:30:00Z', '2026-01-31T09:30Z', '2026-02-30T09:30:00Z'],
    ...[
      '2026-01-31T24:00:00Z',
      '2026-01-31T09:60:00Z',
      '2026-01-31T09:30:00+24:00',
      '2026-05-17T12:34:60Z',
      '2026-05-17T23:59:60+02:00',
      ' 2026-01-31T09:30:00Z',
    ],
    ...[1769851800000, true, [], {}],
  ],
}

export const uri: FieldKind = {
  right: ['https://example.com/loans', 'http://localhost:8080/a?b=c#d', 'android-app://com.example'],
  wrong: [
    '',
    'example.com',
    '/loans',
    '//example.com',
    'https://',
    'https://exam ple.com',
    ' https://a.example',
    'https://example.com/préstamos',
    'https://example.com/%zz',
    'https://example.com/[a]',
    'https://example.com/\u202ea',
    'https://example.com/\u200ba',
    ...noStrings,
  ],
}

export const email: FieldKind = {
  right: [
    'ana@example.com',
    'ANA@Example.COM',
    'ana.perez+loan@mail.example.co',
    `${'l'.repeat(64)}@${'d'.repeat(63)}.es`,
  ],
  wrong: [
    ...['', 'ana', 'ana@', '@example.com', 'ana@@example.com', 'ana..b@example.com', 'ana@example'],
    ...[`${'l'.repeat(65)}@example.com`, `a@${'d'.repeat(64)}.es`, `a@${'d.'.repeat(10_000)}es`],
    ...['"ana"@example.com', 'ana@[192.0.2.1]', 'ana@españa.es', 'añá@example.com'],
    ...[' ana@example.com', 'ana@example.com ', 'ana@example.com\n', 'Ana <ana@example.com>', ...noStrings],
  ],
}

export const ipv4: FieldKind = {
  right: ['203.0.113.7', '0.0.0.0', '255.255.255.255'],
  wrong: ['', '256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 ', '::1', '1.2.3.4/24', ...noStrings],
}

export const boolean: FieldKind = { right: [true, false], wrong: ['true', 'false', '', 0, 1, [], {}] }

const noIntegers = ['5', '5000', '', 5000.5, 0.1, 2 ** 53, true, [], {}, [5000]]

export const integer: FieldKind = { right: [0, 1, 5000, 5000.0, -1], wrong: noIntegers }

export const number: FieldKind = { right: [0, 5000, 5000.5, -1], wrong: ['5', '', true, [], {}] }

export function integerBetween(min: number, max: number): FieldKind {
  return { right: [min, min + 1, max - 1, max], wrong: [min - 1, max + 1, min + 0.5, 0, -min, ...noIntegers] }
}

export function oneOf(values: readonly string[]): FieldKind {
  const [first = ''] = values
  const near = [
    first.toUpperCase(),
    ` ${first}`,
    `${first} `,
    [first],
    'unknown',
    '',
    '__proto__',
    'constructor',
    'toString',
  ]
  return { right: values, wrong: [...near, 0, true, {}] }
}

export const object: FieldKind = { right: [], wrong: ['', 'text', 5, true, []] }

export const array: FieldKind = { right: [[]], wrong: ['', 'text', 5, true, {}] }
