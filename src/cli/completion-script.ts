import type { Flag, Verb } from '../lib/command-line.js';

/** What a completion script is made from. */
export interface Completed {
  /** The name that is typed. */
  readonly program: string;
  readonly verbs: Readonly<Record<string, Verb>>;
  readonly common: Readonly<Record<string, Flag>>;
  /** The verb when none is typed. */
  readonly fallback: string;
}

const SCRIPTS: Readonly<Record<string, (completed: Completed) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
export const SHELLS = Object.keys(SCRIPTS);

/** The script that has a shell complete verbs, flags and file names. @throws Error for a shell that is not in `SHELLS` */
export function completionScript(shell: string, completed: Completed): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (!script) throw new Error(`there are completions for ${SHELLS.join(', ')}, not for ${shell}`);
  return script(completed);
}

/** Every verb with all its flags, as `--flag`. */
function verbFlags({ verbs, common }: Completed): [string, Verb, [string, Flag][]][] {
  return Object.entries(verbs).map(([name, verb]) => [
    name,
    verb,
    Object.entries({ ...verb.flags, ...common }).map(([flag, meaning]) => [`--${flag}`, meaning]),
  ]);
}

/** Does a value or an argument name a file? */
const isFile = (placeholder: string | undefined) => /\b(file|folder)\b/.test(placeholder ?? '');

function bashScript(completed: Completed): string {
  const { program, verbs, fallback } = completed;
  const name = functionName(program);
  const cases = verbFlags(completed).map(([verb, { argument, choices }, flags]) => {
    const words = flags.map(([flag]) => flag).concat(choices ?? []);
    return `    ${verb}) words='${words.join(' ')}'; files=${isFile(argument) ? 1 : 0} ;;`;
  });
  return `# bash completion of ${program}; to have it in every shell, put this into ~/.bashrc:
#   source <(${program} completion bash)
${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} verb=\${COMP_WORDS[1]} words='' files=0
  COMPREPLY=()
  case $before in
${bashValues(completed)}
  esac
  if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
    COMPREPLY=($(compgen -W '${Object.keys(verbs).join(' ')}' -- "$word"))
    return
  fi
  [[ $verb == -* ]] && verb=${fallback}
  case $verb in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  # Names of files may have spaces.
  local IFS=$'\\n'
  if [[ $files -eq 1 && $word != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}
complete -o filenames -F ${name} ${program}`;
}

/** The value of a flag: a file, or something that no shell can know. */
function bashValues(completed: Completed): string {
  const flags = verbFlags(completed)
    .flatMap(([, , all]) => all)
    .filter(([, { value }]) => value !== undefined);
  const lines = flags.map(([flag, { value }]) =>
    isFile(value)
      ? `    ${flag}) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$word")); return ;;`
      : `    ${flag}) return ;;`,
  );
  return [...new Set(lines)].join('\n');
}

function zshScript(completed: Completed): string {
  const { program, fallback } = completed;
  const name = functionName(program);
  const all = verbFlags(completed);
  const described = all.map(([verb, { meaning }]) => `    ${quoted(`${verb}:${meaning}`)}`);
  const cases = all.map(([verb, { argument, choices }, flags]) => {
    const options = flags.map(([flag, { value, meaning }]) => {
      const takes = value === undefined ? '' : `:${value}:${isFile(value) ? '_files' : ' '}`;
      return quoted(`${flag}[${meaning.replace(/[[\]:]/g, '\\$&')}]${takes}`);
    });
    const rest = choices
      ? `*:${argument}:(${choices.join(' ')})`
      : isFile(argument)
        ? `*:${argument}:_files`
        : undefined;
    return `    ${verb}) _arguments ${[...options, ...(rest ? [quoted(rest)] : [])].join(' ')} ;;`;
  });
  return `#compdef ${program}
# zsh completion of ${program}; to have it in every shell, put this into ~/.zshrc, after compinit:
#   source <(${program} completion zsh)
${name}() {
  local -a verbs
  verbs=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe command verbs
    return
  fi
  local verb=$words[2]
  if [[ $verb == -* ]]; then verb=${fallback}; else shift words; (( CURRENT-- )); fi
  case $verb in
${cases.join('\n')}
  esac
}
compdef ${name} ${program}`;
}

function fishScript(completed: Completed): string {
  const { program, fallback } = completed;
  const all = verbFlags(completed);
  const verbs = all.map(([verb]) => verb);
  const lines = all.flatMap(([verb, { meaning, argument, choices }, flags]) => {
    const typed = `__fish_seen_subcommand_from ${verb}`;
    const when =
      verb === fallback ? `${typed}; or not __fish_seen_subcommand_from ${verbs.join(' ')}` : typed;
    const start = `complete -c ${program} -n ${fishQuoted(when)}`;
    return [
      `complete -c ${program} -n __fish_use_subcommand -a ${verb} -d ${fishQuoted(meaning)}`,
      ...flags.map(([flag, { value, meaning: said }]) => {
        const takes = value === undefined ? '' : isFile(value) ? ' -r -F' : ' -x';
        return `${start} -l ${flag.slice(2)}${takes} -d ${fishQuoted(said)}`;
      }),
      ...(choices
        ? [`complete -c ${program} -n ${fishQuoted(typed)} -a ${fishQuoted(choices.join(' '))}`]
        : []),
      ...(isFile(argument) ? [`complete -c ${program} -n ${fishQuoted(typed)} -F`] : []),
    ];
  });
  return `# fish completion of ${program}; to have it in every shell:
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish
complete -c ${program} -f
${lines.join('\n')}`;
}

function functionName(program: string): string {
  return `_${program.replace(/\W/g, '_')}`;
}

/** For bash and zsh: within single quotes nothing is special but the quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** In fish, backslashes are special within single quotes, too. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
