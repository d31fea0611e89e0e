/** A format of a text: its name on the wire, and its test. */
export interface TextFormat {
  /** `uuid`, `date`, `date-time`, `uri`, `email` or `ipv4`. */
  readonly name: string
  readonly fits: (text: string) => boolean
  /** The pattern, where the format is defined by one. */
  readonly pattern?: RegExp
}

/** A condition on an object as a whole; where it does not hold, `field` has the issue. */
export interface ObjectCondition {
  readonly field: string
  readonly issue: string
  holds(value: object): boolean
}

/** What a field accepts, for code that explains values, makes them or generates a validator. */
export interface FieldDescription {
  readonly type: 'object' | 'list' | 'text' | 'integer' | 'boolean' | 'enum'
  /** Whether the field may be missing. */
  readonly optional?: true
  /** Whether the field may be null. */
  readonly nullable?: true
  /** Whether a text must not be empty. */
  readonly filled?: true
  /** The format of a text. */
  readonly format?: TextFormat
  /** The values of an enumeration. */
  readonly values?: readonly string[]
  /** The least value of an integer. */
  readonly min?: number
  /** The greatest value of an integer. */
  readonly max?: number
  /** What a list holds. */
  readonly items?: FieldDescription
  /** How many items a list holds at most. */
  readonly maxItems?: number
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, FieldDescription>>
  /** What must hold of an object as a whole. */
  readonly condition?: ObjectCondition
}
