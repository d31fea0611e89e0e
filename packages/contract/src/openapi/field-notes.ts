/** What an interface and its fields mean. */
export interface Notes {
  /** What the whole is. */
  readonly description: string
  /** What each field is: meaning, unit, bounds, default. */
  readonly fields: Readonly<Record<string, string>>
}

/** Notes by the name of the interface, which is the name of the component in the document too. */
export type FieldNotes = Readonly<Record<string, Notes>>
