import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_FILE, DEFAULT_VOCABULARY } from '../config/defaults.js';
import { readUri } from '../connection/uri.js';
import { VERSION } from '../lib/version.js';
import type { ServeOptions } from './serve-verb.js';
import type { Terminal } from './terminal.js';

/** Exit code for a command line that cannot be understood. */
const MISUSE = 2;

const CONFIG = ['--config <file>', 'the configuration', DEFAULT_FILE] as const;
const JSON_RESULT = ['--json', 'print the result as JSON'] as const;
const VOCABULARY = ['--vocabulary <iri>', 'namespace of its terms', DEFAULT_VOCABULARY] as const;
const WITHOUT_CONNECTIONS = [
  '--without-connections',
  'leave out the connection service, and with it all secrets',
] as const;

/** The module of a command. What `run` takes: the arguments of the command, its options, and the terminal. */
type Verb = () => Promise<{ readonly run: (...given: never[]) => Promise<number | undefined> }>;

/**
 * All that the program can be asked, for commander to parse. The module of a command is loaded only when that command is run:
 * reading and compiling all of them takes five times as long as Node.js itself needs.
 */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('component-registry-node')
    .description('A node of a decentralised registry of semantic web components.')
    .version(VERSION)
    .helpCommand(false)
    .showHelpAfterError('(--help says what there is)')
    .exitOverride(exitWithMisuse);
  /** The process ends with what a command resolves with, or goes on while that is nothing. */
  const runs =
    (load: Verb) =>
    async (...given: unknown[]) => {
      const { run } = await load();
      // Behind its arguments and options, commander hands over the command.
      process.exitCode = await run(...([...given.slice(0, -1), terminal] as never[]));
    };
  addServing(program, runs);
  addPublishing(program, runs);
  addMaintenance(program, runs);
  return program;
}

type Runs = (load: Verb) => (...given: unknown[]) => Promise<void>;

/** The faults that commander finds are all faults of the command line; after help and version, the exit code is 0. */
function exitWithMisuse({ exitCode, code, message }: CommanderError): never {
  throw new CommanderError(exitCode === 0 ? 0 : MISUSE, code, message);
}

function addServing(program: Command, runs: Runs): void {
  const serves = runs(() => import('./serve-verb.js'));
  program
    .command('serve', { isDefault: true })
    .description('run the node (also when no command is given)')
    .option(...CONFIG)
    .option('--demo', 'list samples: components, with data to try them with')
    .option('--starter', 'list real components to begin with, and serve their modules')
    // What is no command comes here, because this is the default one.
    .allowExcessArguments()
    .action((options: ServeOptions, command: Command) => {
      const known = program.commands.map((one) => one.name()).join(', ');
      const [unknown] = command.args;
      if (unknown !== undefined) program.error(`error: unknown command '${unknown}' (there is ${known})`);
      return serves(options, command);
    });
  program
    .command('check')
    .description('say whether a configuration can be used')
    .option(...CONFIG)
    .action(runs(() => import('./check-verb.js')));
  program
    .command('token')
    .description('print a token for a holder of the connection service')
    .requiredOption('--holder <uri>', 'whom it speaks for: an absolute URI, such as a WebID', absoluteUri)
    .addOption(time('--expires <time>', 'how long it lasts: 90s, 15m, 12h, 30d', '30d'))
    .option(...CONFIG)
    .action(runs(() => import('./token-verb.js')));
}

function addPublishing(program: Command, runs: Runs): void {
  program
    .command('lint')
    .description('check a metadata document, and the modules it names, before it is published')
    .argument('<url or file>')
    .option('--base <url>', 'where a file will be published: relative uris lead from there')
    .option(...VOCABULARY)
    .action(runs(() => import('./lint-verb.js')));
  program
    .command('publish')
    .description('publish what a package says of its custom elements, update it, or withdraw it')
    .argument('[package]', 'its folder', '.')
    .requiredOption('--to <url|folder>', 'a document or container in a pod; or a folder for a static host')
    .option('--apply', 'write it: without this, only what would change is said (exit code 3)')
    .option('--node <url>', 'a node that is told, and waited for until it lists it; may be repeated', words)
    .option('--shape <iri>', 'what the element renders, as an IRI or foaf:Person; may be repeated', words)
    .option('--element <name>', 'which element, when the package has several')
    .option('--base <url>', "where the package's folder is on the web (default: npm's packages)")
    .option(...VOCABULARY)
    .option('--at <url>', 'where the folder of --to is on the web, once it is there')
    .option('--replace', 'take the version before out, which otherwise stays listed as not the latest')
    .option('--withdraw', 'take the components of the package out again, in all versions')
    .option('--issuer <url>', "where the pod's owner signs in (default: the pod's server)")
    .addOption(time('--wait <time>', 'how long nodes are waited for; exit code 4 after that', '2m'))
    .option(...JSON_RESULT)
    .action(runs(() => import('./publish-verb.js')));
}

function addMaintenance(program: Command, runs: Runs): void {
  program
    .command('export')
    .description(
      'write everything that a stopped node holds to a file (compressed when its name ends with .gz)',
    )
    .argument('<file>')
    .option(...WITHOUT_CONNECTIONS)
    .option(...CONFIG)
    .action(runs(() => import('./export-verb.js')));
  program
    .command('import')
    .description('read a file that export has written into the empty store of a stopped node')
    .argument('<file>')
    .option('--check', 'only say whether the file is whole')
    .option(...WITHOUT_CONNECTIONS)
    .option(...CONFIG)
    .action(runs(() => import('./import-verb.js')));
  program
    .command('rehearse')
    .description('ask the running node what trusting a pod or a node would add, change, hide and refuse')
    .argument('<url>')
    .option(...JSON_RESULT)
    .option(...CONFIG)
    .action(runs(() => import('./rehearse-verb.js')));
  program
    .command('repair')
    .description('look for damage in the data directory of a stopped node, and say what can be saved')
    .option('--apply', 'repair it; the damaged files are kept beside')
    .option(...CONFIG)
    .action(runs(() => import('./repair-verb.js')));
}

/** Reads an option that may be given several times, or once with spaces between. */
function words(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(/\s+/).filter((word) => word !== '')];
}

function absoluteUri(text: string): string {
  const uri = readUri(text);
  if (uri !== undefined) return uri;
  throw new InvalidArgumentError('Write an absolute URI, as in https://alice.example/profile#me.');
}

/** An option that is read as ms. */
function time(flags: string, description: string, usual: string): Option {
  return new Option(flags, description).argParser(milliseconds).default(milliseconds(usual), usual);
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time as people write it: 90s, 15m, 12h, 30d; a number alone is seconds. */
function milliseconds(text: string): number {
  const [, count, unit = 's'] = /^(\d{1,6})([smhd])?$/.exec(text) ?? [];
  const found = Number(count) * (UNITS_MS[unit] ?? 0);
  if (found > 0) return found;
  throw new InvalidArgumentError('Write it as in 90s, 2m, 1h.');
}
