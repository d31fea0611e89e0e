import { Command, type Option } from 'commander'

/** What all variables begin with. */
const prefix = 'LEAD_SANDBOX'

/**
 * A command whose flags can all be given by the environment: by the variable that a flag names, or else by `LEAD_SANDBOX_`,
 * the verb except `start`, and the flag. A flag that is given wins.
 */
export class VerbCommand extends Command {
  override createCommand(name?: string): Command {
    return new VerbCommand(name)
  }

  override addOption(option: Option): this {
    const name = option.envVar ?? this.#variableOf(option)
    // Commander takes whatever is there for the flag.
    if (isUsable(option, process.env[name])) option.env(name)
    else delete option.envVar
    return super.addOption(option)
  }

  #variableOf(option: Option): string {
    const verb: string[] = []
    for (let command: Command = this; command.parent !== null; command = command.parent) verb.unshift(command.name())
    const named = verb[0] === 'start' ? [] : verb
    return [prefix, ...named, option.name()].join('_').replaceAll('-', '_').toUpperCase()
  }
}

/** An empty variable is none, and one that switches a flag without value off says what is so without it. */
function isUsable(option: Option, value: string | undefined): boolean {
  const hasValue = option.required || option.optional
  return value === undefined || !(value === '' || (!hasValue && ['0', 'false'].includes(value)))
}
