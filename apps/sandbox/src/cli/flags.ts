import { Argument, type Command, Option } from 'commander'

/**
 * A flag or an argument of a verb. Its key is the name in camelCase: `noFill` is `--no-fill`. A verb receives a
 * `Value`, which includes undefined if the flag is optional.
 */
export interface Taken<Value> {
  /** The value's placeholder in the help, such as `<id>`. A flag without it is boolean. */
  readonly value?: string
  readonly about?: string | undefined
  /** Parses the text of a value. A repeatable flag also gets the previous value, to add to it. */
  readonly parse?: ((text: string, before: never) => Value) | undefined
  readonly choices?: readonly string[]
  readonly byDefault?: Value
  /** A description of the default. */
  readonly defaultText?: string | undefined
  readonly isArgument?: boolean
  readonly isRequired?: boolean
  /** The heading in the help for this flag and those after it. */
  readonly heading?: string
  /** The flag that cannot be combined with this one. */
  readonly conflicts?: string
  /** The environment variable, if its name does not include the verb. */
  readonly variable?: string
}

/** Flags and arguments by name. */
export type AllTaken = Readonly<Record<string, Taken<unknown>>>

/** Creates a flag with a value: its text, or the result of `parse`. */
export function flag<Value = string>(
  value: string,
  about: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<NoInfer<Value> | undefined> {
  return { value, about, parse }
}

/** Creates a boolean flag. */
export function onOff(about: string): Taken<boolean | undefined> {
  return { about }
}

/**
 * Creates an argument. `<id>` is required, `[id]` is optional, `[id...]` yields an array; the value is the text or the
 * result of `parse`.
 */
export function argument<const Form extends string, Value = Form extends `${string}...${string}` ? string[] : string>(
  value: Form,
  about?: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<Form extends `<${string}` ? NoInfer<Value> : NoInfer<Value> | undefined> {
  return { value, about, parse, isArgument: true } as ReturnType<typeof argument<Form, Value>>
}

/** Restricts a flag or an argument to these words. */
export function oneOf<Value extends string | undefined, const Choice extends string>(
  { value = '', about, isArgument = false }: Taken<Value>,
  choices: readonly Choice[],
): Taken<Choice | Extract<Value, undefined>> {
  return { value, about, isArgument, choices }
}

/** Makes a flag required. */
export function required<Value>(taken: Taken<Value | undefined>): Taken<Value> {
  return { ...(taken as Taken<Value>), isRequired: true }
}

/** Sets the default value of a flag. */
export function byDefault<Value>(taken: Taken<Value | undefined>, value: Value, text?: string): Taken<Value> {
  return { ...(taken as Taken<Value>), byDefault: value, defaultText: text }
}

/** Creates a repeatable flag: `read` combines its texts. `none` describes the default. */
export function repeatable<Value>(
  value: string,
  about: string,
  read: (text: string) => readonly Value[],
  none: string,
): Taken<readonly Value[]> {
  const add = (text: string, before: readonly Value[] = []) => [...before, ...read(text)]
  return byDefault(flag(value, `${about}; repeatable`, add), [], none)
}

/** Makes a flag conflict with another one. */
export function excluding<Value>(conflicts: string, taken: Taken<Value>): Taken<Value> {
  return { ...taken, conflicts }
}

/** Names the environment variable of a flag, the same for every verb. */
export function fromVariable<Value>(variable: string, taken: Taken<Value>): Taken<Value> {
  return { ...taken, variable }
}

/** Groups flags under a heading in the help. */
export function under<All extends AllTaken>(heading: string, flags: All): All {
  const [[first, taken] = ['']] = Object.entries(flags)
  return taken ? { ...flags, [first]: { ...taken, heading } } : flags
}

/** The names that a verb receives: `--no-fill` becomes `fill`, true by default. */
type Received<Name> = Name extends `no${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? Uncapitalize<Rest>
    : Name
  : Name

/** Everything that a verb receives, by name. */
export type InputOf<All> = {
  readonly [Name in keyof All as Received<Name>]: All[Name] extends Taken<infer Value> ? Value : never
}

/** Adds flags and arguments to a command. */
export function addTaken(command: Command, takes: AllTaken): void {
  for (const [name, taken] of Object.entries(takes)) {
    const { value, about, parse, choices, isArgument, isRequired, heading, conflicts, variable } = taken
    const read = parse as ((text: string, before: unknown) => unknown) | undefined
    if (heading !== undefined) command.optionsGroup(heading)
    if (isArgument) {
      const argument = new Argument(value ?? '', about)
      if (read) argument.argParser(read)
      if (choices) argument.choices(choices)
      if ('byDefault' in taken) argument.default(taken.byDefault, taken.defaultText)
      command.addArgument(argument)
      continue
    }
    const long = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
    const option = new Option(value === undefined ? long : `${long} ${value}`, about)
    if (read) option.argParser(read)
    if (choices) option.choices(choices)
    if ('byDefault' in taken) option.default(taken.byDefault, taken.defaultText)
    if (isRequired) option.makeOptionMandatory()
    if (conflicts !== undefined) option.conflicts(conflicts)
    if (variable !== undefined) option.env(variable)
    command.addOption(option)
  }
}

/** Returns the flags and arguments with which a command was called, by name. */
export function inputOf<All extends AllTaken>(command: Command, takes: All): InputOf<All> {
  const flags = command.opts()
  const values = [...command.processedArgs]
  const entries = Object.entries(takes).map(([name, { isArgument }]) => {
    const received = name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase())
    return isArgument ? [name, values.shift()] : [received, flags[received]]
  })
  return Object.fromEntries(entries)
}
