import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from './nearest.js';

/** A flag and what the help says of it; `value` names its argument, absent for a switch. */
export interface Flag {
  readonly value?: string;
  readonly short?: string;
  /** May it be given several times? Its values are one text then, with spaces between. */
  readonly several?: boolean;
  readonly meaning: string;
}

export interface Verb {
  readonly meaning: string;
  readonly flags: Readonly<Record<string, Flag>>;
  /** The name of the verb's argument in the help; absent for a verb that takes none. */
  readonly argument?: string;
  /** May the argument be left out? */
  readonly optional?: boolean;
  /** The arguments that there are, where only some can be given. */
  readonly choices?: readonly string[];
}

/** Values by flag: the text given, or `true` for a switch. */
export type FlagValues = Readonly<Record<string, string | true | undefined>>;

/** A parsed command line: a verb, help (about one verb or all), the version, or what is wrong with it. */
export type Command =
  | { readonly kind: 'verb'; readonly verb: string; readonly flags: FlagValues; readonly argument?: string }
  | { readonly kind: 'help'; readonly verb?: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'fault'; readonly detail: string };

/** What every verb can be asked. */
export const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  help: { short: 'h', meaning: 'show this and exit' },
  version: { meaning: 'print the version and exit' },
};

/** Reads arguments (without those of node itself); `fallback` is the verb when none is named. */
export function parseCommand(
  args: readonly string[],
  verbs: Readonly<Record<string, Verb>>,
  fallback: string,
): Command {
  const [first] = args;
  const named = first !== undefined && !first.startsWith('-') ? first : undefined;
  const name = named ?? fallback;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) return { kind: 'fault', detail: unknown('command', name, Object.keys(verbs)) };
  const flags = { ...verb.flags, ...COMMON_FLAGS };
  const read = readFlags(args.slice(named === undefined ? 0 : 1), flags, verb.argument !== undefined);
  if ('detail' in read) return { kind: 'fault', detail: read.detail };
  if (read.values.help) return { kind: 'help', verb: named };
  if (read.values.version) return { kind: 'version' };
  const { values, argument } = read;
  const fault = argumentFault(name, verb, argument);
  if (fault) return { kind: 'fault', detail: fault };
  return { kind: 'verb', verb: name, flags: values, argument };
}

function argumentFault(name: string, verb: Verb, given: string | undefined): string | undefined {
  const { argument, optional, choices } = verb;
  if (given === undefined)
    return argument === undefined || optional
      ? undefined
      : `${name} needs an argument: ${name} <${argument}>`;
  return !choices || choices.includes(given) ? undefined : unknown(argument ?? 'argument', given, choices);
}

function readFlags(
  args: readonly string[],
  flags: Readonly<Record<string, Flag>>,
  takesArgument: boolean,
): { values: FlagValues; argument?: string } | { detail: string } {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(flags).map(([name, { value, short }]) => [
      name,
      // Node.js 20 refuses a `short` that is there and undefined.
      { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) },
    ]),
  );
  // Not strict, because the messages of `parseArgs` do not name the flags that exist.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const values: Record<string, string | true> = {};
  let argument: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (!takesArgument || argument !== undefined)
        return { detail: `"${token.value}" is one argument too many` };
      argument = token.value;
    }
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (!flag)
      return {
        detail: unknown(
          'option',
          token.rawName,
          Object.keys(flags).map((name) => `--${name}`),
        ),
      };
    const fault = valueFault(token.rawName, flag, token.value);
    if (fault) return { detail: fault };
    const before = flag.several ? values[token.name] : undefined;
    values[token.name] = before ? `${before} ${token.value}` : (token.value ?? true);
  }
  return { values, argument };
}

function valueFault(name: string, { value: wanted }: Flag, given: string | undefined): string | undefined {
  if (wanted === undefined) return given === undefined ? undefined : `${name} takes no value`;
  return given ? undefined : `${name} needs a value: ${name} <${wanted}>`;
}

function unknown(what: string, word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return `unknown ${what} "${word}"${near ? `, did you mean "${near}"?` : ''} (there is ${known.join(', ')})`;
}

/** The help text: of one verb, or of all. `program` is how the program is called. */
export function helpText(program: string, verbs: Readonly<Record<string, Verb>>, verb?: string): string {
  const one = verb === undefined ? undefined : verbs[verb];
  const flags = one?.flags ?? Object.assign({}, ...Object.values(verbs).map((each) => each.flags));
  const head = one
    ? [`${program} ${verb}${argumentText(one)}: ${one.meaning}`]
    : [`Usage: ${program} [command] [options]`, '', ...rows(verbs, '')];
  return [...head, '', ...rows({ ...flags, ...COMMON_FLAGS }, '--')].join('\n');
}

function argumentText({ argument, optional }: Verb): string {
  if (argument === undefined) return '';
  return optional ? ` [${argument}]` : ` <${argument}>`;
}

function rows(entries: Readonly<Record<string, { meaning: string } & Flag>>, prefix: string): string[] {
  const left = Object.entries(entries).map(
    ([name, { short, value }]) =>
      `${short ? `-${short}, ` : ''}${prefix}${name}${value ? ` <${value}>` : ''}`,
  );
  const width = Math.max(...left.map((text) => text.length));
  return Object.values(entries).map(({ meaning }, i) => `  ${left[i]?.padEnd(width)}  ${meaning}`);
}
