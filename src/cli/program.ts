import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_FILE, DEFAULT_VOCABULARY } from '../config/defaults.js';
import { durationMs } from '../connection/tokens/make-token.js';
import { VERSION } from '../lib/version.js';
import type { ConfigOptions } from './config-options.js';
import type { ImportOptions } from './import-verb.js';
import type { LintOptions } from './lint-verb.js';
import type { PublishOptions } from './publish-verb.js';
import type { RehearseOptions } from './rehearse-verb.js';
import type { RepairOptions } from './repair-verb.js';
import type { ServeOptions } from './serve-verb.js';
import type { Terminal } from './terminal.js';
import type { TokenOptions } from './token-verb.js';
import type { TransferOptions } from './transfer-options.js';

/** Exit code for a command line that cannot be understood. */
const MISUSE = 2;

const CONFIG = ['--config <file>', 'the configuration', DEFAULT_FILE] as const;
const JSON_RESULT = ['--json', 'print the result as JSON'] as const;
const VOCABULARY = ['--vocabulary <iri>', 'namespace of its terms', DEFAULT_VOCABULARY] as const;
const WITHOUT_CONNECTIONS = [
  '--without-connections',
  'leave out the connection service, and with it all secrets',
] as const;

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
  addServing(program, terminal);
  addPublishing(program, terminal);
  addMaintenance(program, terminal);
  return program;
}

/** The faults that commander finds are all faults of the command line; after help and version, the exit code is 0. */
function exitWithMisuse({ exitCode, code, message }: CommanderError): never {
  throw new CommanderError(exitCode === 0 ? 0 : MISUSE, code, message);
}

/** The process ends with what a command resolves with, or goes on while that is nothing. */
async function ends(outcome: Promise<number | undefined>): Promise<void> {
  process.exitCode = await outcome;
}

function addServing(program: Command, terminal: Terminal): void {
  program
    .command('serve', { isDefault: true })
    .description('run the node (also when no command is given)')
    .option(...CONFIG)
    .option('--demo', 'list samples: components, with data to try them with')
    .option('--starter', 'list real components to begin with, and serve their modules')
    // What is no command comes here, because this is the default one.
    .allowExcessArguments()
    .action(async (options: ServeOptions, { args: [unknown] }: Command) => {
      const known = program.commands.map((command) => command.name()).join(', ');
      if (unknown !== undefined) program.error(`error: unknown command '${unknown}' (there is ${known})`);
      const { run } = await import('./serve-verb.js');
      await ends(run(options, terminal));
    });
  program
    .command('check')
    .description('say whether a configuration can be used, and whether its database can be reached')
    .option(...CONFIG)
    .action(async (options: ConfigOptions) => {
      const { run } = await import('./check-verb.js');
      await ends(run(options, terminal));
    });
  program
    .command('token')
    .description('print a token for a holder of the connection service')
    .requiredOption('--holder <uri>', 'whom it speaks for: an absolute URI, such as a WebID')
    .option('--expires <time>', 'how long it lasts: 90s, 15m, 12h, 30d', '30d')
    .option(...CONFIG)
    .action(async (options: TokenOptions) => {
      const { run } = await import('./token-verb.js');
      await ends(run(options, terminal));
    });
}

function addPublishing(program: Command, terminal: Terminal): void {
  program
    .command('lint')
    .description('check a metadata document, and the modules it names, before it is published')
    .argument('<url or file>')
    .option('--base <url>', 'where a file will be published: relative uris lead from there')
    .option(...VOCABULARY)
    .action(async (what: string, options: LintOptions) => {
      const { run } = await import('./lint-verb.js');
      await ends(run(what, options, terminal));
    });
  program
    .command('publish')
    .description('publish what a package says of its custom elements, update it, or withdraw it')
    .argument('[package]', 'its folder', '.')
    .requiredOption(
      '--to <url|folder>',
      'the document, or container, in a pod; or a folder for a static host',
    )
    .option('--apply', 'write it: without this, only what would change is said (exit code 3)')
    .option('--node <url>', 'a node that is told, and waited for until it lists it; may be repeated', words)
    .option('--shape <iri>', 'what the element renders, as an IRI or foaf:Person; may be repeated', words)
    .option('--element <name>', 'which element, when the package has several')
    .option(
      '--base <url>',
      "where the package's folder is on the web (default: where npm's packages are served)",
    )
    .option(...VOCABULARY)
    .option('--at <url>', 'where the folder of --to is on the web, once it is there')
    .option('--replace', 'take the version before out, which otherwise stays listed as not the latest')
    .option('--withdraw', 'take the components of the package out again, in all versions')
    .option('--issuer <url>', "where the pod's owner signs in (default: the pod's server)")
    .addOption(WAIT)
    .option(...JSON_RESULT)
    .action(async (folder: string, options: PublishOptions) => {
      const { run } = await import('./publish-verb.js');
      await ends(run(folder, options, terminal));
    });
}

const WAIT = new Option(
  '--wait <time>',
  'how long nodes are waited for: 90s, 2m, or seconds; exit code 4 after that',
)
  .argParser(milliseconds)
  .default(120_000, '2m');

function addMaintenance(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description(
      'write everything that a stopped node holds to a file (compressed when its name ends with .gz)',
    )
    .argument('<file>')
    .option(...WITHOUT_CONNECTIONS)
    .option(...CONFIG)
    .action(async (file: string, options: TransferOptions) => {
      const { run } = await import('./export-verb.js');
      await ends(run(file, options, terminal));
    });
  program
    .command('import')
    .description('read a file that export has written into the empty store of a stopped node')
    .argument('<file>')
    .option('--check', 'only say whether the file is whole')
    .option(...WITHOUT_CONNECTIONS)
    .option(...CONFIG)
    .action(async (file: string, options: ImportOptions) => {
      const { run } = await import('./import-verb.js');
      await ends(run(file, options, terminal));
    });
  program
    .command('rehearse')
    .description('ask the running node what trusting a pod or a node would add, change, hide and refuse')
    .argument('<url>')
    .option(...JSON_RESULT)
    .option(...CONFIG)
    .action(async (url: string, options: RehearseOptions) => {
      const { run } = await import('./rehearse-verb.js');
      await ends(run(url, options, terminal));
    });
  program
    .command('repair')
    .description('look for damage in the data directory of a stopped node, and say what can be saved')
    .option('--apply', 'repair it; the damaged files are kept beside')
    .option(...CONFIG)
    .action(async (options: RepairOptions) => {
      const { run } = await import('./repair-verb.js');
      await ends(run(options, terminal));
    });
}

/** Reads an option that may be given several times, or once with spaces between. */
function words(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(/\s+/).filter((word) => word !== '')];
}

/** Reads a time; a number alone is seconds. */
function milliseconds(text: string): number {
  const found = durationMs(/^\d+$/.test(text) ? `${text}s` : text);
  if (found === undefined) throw new InvalidArgumentError('Write it as in 90s, 2m, 1h.');
  return found;
}
