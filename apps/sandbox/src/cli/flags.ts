import { Argument, type Command, Option } from 'commander'

/**
 * A flag or an argument of a verb, under its name in camelCase: `noFill` is `--no-fill`. A verb gets a `Value`, which
 * includes undefined if it may be left out.
 */
export interface Taken<Value> {
  /** The value in the help, such as `<id>`. Without it, the flag is on or off. */
  readonly value?: string
  readonly about?: string | undefined
  /** Reads the text of a value; adds it to the value before if the flag is repeatable. */
  readonly parse?: ((text: string, before: never) => Value) | undefined
  readonly choices?: readonly string[]
  readonly byDefault?: Value
  /** The default in words. */
  readonly defaultText?: string | undefined
  readonly isArgument?: boolean
  readonly isRequired?: boolean
  /** The heading in the help, of this one and those that follow. */
  readonly heading?: string
  /** The flag that excludes this one. */
  readonly conflicts?: string
  /** Its variable, if that has no verb in its name. */
  readonly variable?: string
}

/** Flags and arguments by name. */
export type AllTaken = Readonly<Record<string, Taken<unknown>>>

/** A flag with a value: its text, or what `parse` reads there. */
export function flag<Value = string>(
  value: string,
  about: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<NoInfer<Value> | undefined> {
  return { value, about, parse }
}

/** A flag that is on or off. */
export function onOff(about: string): Taken<boolean | undefined> {
  return { about }
}

/** An argument: `<id>` is required, `[id]` may be left out; its text, the texts of `[id...]`, or what `parse` reads there. */
export function argument<const Form extends string, Value = Form extends `${string}...${string}` ? string[] : string>(
  value: Form,
  about?: string,
  parse?: (text: string, before?: Value) => Value,
): Taken<Form extends `<${string}` ? NoInfer<Value> : NoInfer<Value> | undefined> {
  return { value, about, parse, isArgument: true } as ReturnType<typeof argument<Form, Value>>
}

/** A flag or an argument that takes one of these words. */
export function oneOf<Value extends string | undefined, const Choice extends string>(
  { value = '', about, isArgument = false }: Taken<Value>,
  choices: readonly Choice[],
): Taken<Choice | Extract<Value, undefined>> {
  return { value, about, isArgument, choices }
}

/** A flag that must be given. */
export function required<Value>(taken: Taken<Value | undefined>): Taken<Value> {
  return { ...(taken as Taken<Value>), isRequired: true }
}

/** A flag with a value where it is not given. */
export function byDefault<Value>(taken: Taken<Value | undefined>, value: Value, text?: string): Taken<Value> {
  return { ...(taken as Taken<Value>), byDefault: value, defaultText: text }
}

/** A flag that can be given several times: all that `read` makes of its texts. `none` says in words what is so without it. */
export function repeatable<Value>(
  value: string,
  about: string,
  read: (text: string) => readonly Value[],
  none: string,
): Taken<readonly Value[]> {
  const add = (text: string, before: readonly Value[] = []) => [...before, ...read(text)]
  return byDefault(flag(value, `${about}; repeatable`, add), [], none)
}

/** A flag that cannot be given together with another one. */
export function excluding<Value>(conflicts: string, taken: Taken<Value>): Taken<Value> {
  return { ...taken, conflicts }
}

/** A flag whose variable has this name, for every verb. */
export function fromVariable<Value>(variable: string, taken: Taken<Value>): Taken<Value> {
  return { ...taken, variable }
}

/** Flags under a heading of their own in the help. */
export function under<All extends AllTaken>(heading: string, flags: All): All {
  const [[first, taken] = ['']] = Object.entries(flags)
  return taken ? { ...flags, [first]: { ...taken, heading } } : flags
}

/** The names that a verb gets: `fill` from `--no-fill`, true unless that is given. */
type Received<Name> = Name extends `no${infer Rest}`
  ? Rest extends Capitalize<Rest>
    ? Uncapitalize<Rest>
    : Name
  : Name

/** Everything that a verb gets, by name. */
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

/** Returns the flags and the arguments that a command was called with, by name. */
export function inputOf<All extends AllTaken>(command: Command, takes: All): InputOf<All> {
  const flags = command.opts()
  const values = [...command.processedArgs]
  const entries = Object.entries(takes).map(([name, { isArgument }]) => {
    const received = name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase())
    return isArgument ? [name, values.shift()] : [received, flags[received]]
  })
  return Object.fromEntries(entries)
}
