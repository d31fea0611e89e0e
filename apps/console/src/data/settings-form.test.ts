import { expect, it } from 'vitest'
import { settingInputs, settingText, settingValue } from './settings-form.ts'

const document = {
  components: {
    schemas: {
      ChangeTenantInput: { properties: { settings: { $ref: '#/components/schemas/SettingsChange' } } },
      SettingsChange: {
        properties: {
          gender: { type: 'string', enum: ['optional', 'required'], description: 'Is it required?' },
          duplicate_window: { type: 'string', format: 'duration' },
          callback_retries: { type: 'array' },
        },
      },
    },
  },
}

it('creates an input for each setting that the control plane declares', () => {
  expect(settingInputs(document)).toEqual([
    { name: 'gender', reason: 'Is it required?', kind: 'choice', values: ['optional', 'required'] },
    { name: 'duplicate_window', kind: 'text' },
    { name: 'callback_retries', kind: 'json' },
  ])
  expect(settingInputs(undefined)).toEqual([])
})

it('reads back what it shows', () => {
  const [choice, text, json] = settingInputs(document)
  const cases = [
    [choice, 'required'],
    [text, 'PT60S'],
    [json, ['PT5S']],
    [json, []],
  ] as const
  for (const [input, value] of cases) {
    if (!input) throw new Error('The input is missing.')
    expect(settingValue(input, settingText(value))).toEqual(value)
  }
})

it('names the setting that must be JSON', () => {
  const [, , json] = settingInputs(document)
  if (!json) throw new Error('The input is missing.')
  expect(() => settingValue(json, '[PT5S')).toThrow(/^Callback retries must be JSON: /)
})
