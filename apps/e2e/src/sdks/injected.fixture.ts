import { inspect } from 'node:util'
import type { LeadSubmission } from '@lead-distribution/publisher-sdk'

/** Values that must never leak. Each is unique. */
export const injected = {
  key: 'sandbox_PlantedKey4711',
  token: 'Planted~Token==%2F0815',
  ref: 'PlantedRef99',
  firstName: 'Zephyrine',
  lastName: 'Quackenbush',
  secondSurname: 'Xocoyotzin',
  birthday: '1987-06-05',
  documentNumber: '98765432M',
  email: 'zq.planted@mail.example',
  phone: '612345987',
  street: 'Quarzgasse',
  iban: 'ES7620770024003102575766',
  clickId: 'PlantedClick77',
} as const

const everyInjected = [...Object.values(injected), decodeURIComponent(injected.token)]
const leak = new RegExp(everyInjected.map(value => value.replace(/\W/g, '\\$&')).join('|'), 'i')

/** A lead's id. */
export const lead_id = '3f2b8c1e-5d1a-4c55-9a70-2b7d0f6f1c11'

const accepted = { accepted: true, accepted_at: '2026-01-31T09:30:00Z', version: '3' }

/** A lead full of values that must never leak. */
export const lead: LeadSubmission = {
  product_id: '11111111-1111-4111-8111-111111111111',
  publisher_id: '22222222-2222-4222-8222-222222222222',
  customer: {
    personal_data: {
      first_name: injected.firstName,
      last_name: injected.lastName,
      second_surname: injected.secondSurname,
      birthday: injected.birthday,
      identification_number: injected.documentNumber,
    },
    contact: { email: { address: injected.email }, phone: { area_code: '+34', number: injected.phone } },
    address: { street: injected.street, city: 'Madrid' },
    financial_instruments: [{ type: 'bank_account', iban: injected.iban }],
  },
  product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
  consents: {
    entries: [
      { type: 'terms', ...accepted },
      { type: 'privacy_policy', ...accepted },
    ],
  },
  tracking: { click_id: injected.clickId },
}

/** Returns the ways in which a log or a crash report leaks a value. Empty if there are none. */
export function leaks(value: unknown): string[] {
  const all = { depth: Number.POSITIVE_INFINITY, maxStringLength: null, maxArrayLength: null } as const
  const shown: Record<string, unknown> = {
    inspect: inspect(value, { ...all, showHidden: true }),
    'inspect of what is inside': inspect(value, { ...all, showHidden: true, customInspect: false }),
    json: JSON.stringify(value),
    'json inside': JSON.stringify({ value }),
    text: String(value),
    'own keys': Reflect.ownKeys(Object(value))
      .map(key => inspect(Reflect.get(Object(value), key), all))
      .join(),
    clone: inspect(structuredClone(plain(value)), { ...all, showHidden: true }),
  }
  if (value instanceof Error) {
    shown.message = value.message
    shown.stack = value.stack
    shown.cause = inspect(value.cause, all)
  }
  return Object.entries(shown).flatMap(([way, text]) => {
    const found = leak.exec(String(text))
    return found ? [`${way}: ${found[0]}`] : []
  })
}

// Functions cannot be cloned. This checks errors and plain data.
function plain(value: unknown): unknown {
  return typeof value === 'function' ? undefined : value
}
