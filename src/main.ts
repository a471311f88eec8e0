#!/usr/bin/env node
import { CHECK_VERB } from './cli/check-verb.js';
import { recordOnCommandLine } from './cli/command-audit.js';
import { completionScript, SHELLS } from './cli/completion-script.js';
import { DESCRIBE_VERB } from './cli/describe-verb.js';
import { EXPORT_VERB } from './cli/export-verb.js';
import { CONFIG_FLAG, configFrom } from './cli/flags.js';
import { IMPORT_VERB } from './cli/import-verb.js';
import { INIT_VERB } from './cli/init-verb.js';
import { LINT_VERB } from './cli/lint-verb.js';
import { prepareStarter } from './cli/prepare-starter.js';
import { programName } from './cli/program-name.js';
import { PUBLISH_VERB } from './cli/publish-verb.js';
import { QUERY_VERB } from './cli/query-verb.js';
import { REHEARSE_VERB } from './cli/rehearse-verb.js';
import { REPAIR_VERB } from './cli/repair-verb.js';
import type { RunnableVerb, Terminal } from './cli/runnable-verb.js';
import { startBanner } from './cli/start-banner.js';
import { UNPIN_VERB } from './cli/unpin-verb.js';
import { type Config, ConfigError, configJsonSchema, DEFAULT_FILE } from './config.js';
import { makeToken, TOKEN_FLAGS } from './connection/tokens/token-verb.js';
import { COMPONENT_JSON, componentJsonSchema } from './describe/component-json.js';
import { systemClock } from './lib/clock.js';
import { COMMON_FLAGS, type FlagValues, helpText, parseCommand } from './lib/command-line.js';
import { explain } from './lib/faults.js';
import { boundHeapGrowth } from './lib/heap-growth.js';
import { createLog, lineForPeople } from './lib/log.js';
import { endOnSignals } from './lib/signals.js';
import { VERSION } from './lib/version.js';
import { PACKAGE_FOLDER } from './node/front.js';
import { createNode } from './node.js';

/** The name under which the program is installed. */
const PROGRAM = 'component-registry-node';
/** What a stop may take, in ms: process managers kill after 10 s. */
const GRACE_MS = 5000;
const DEFAULT_VERB = 'serve';

/** Of the files that people write. */
const SCHEMAS: Readonly<Record<string, () => object>> = {
  [DEFAULT_FILE]: configJsonSchema,
  [COMPONENT_JSON]: componentJsonSchema,
};

const VERBS: Readonly<Record<string, RunnableVerb>> = {
  serve: {
    meaning: 'run the node (also when no command is given)',
    flags: {
      ...CONFIG_FLAG,
      demo: { meaning: 'show samples: components, with data that can be changed, kept apart' },
      starter: { meaning: 'list real components to begin with, and serve their modules, kept apart' },
    },
    run: serve,
  },
  check: CHECK_VERB,
  init: INIT_VERB,
  query: QUERY_VERB,
  lint: LINT_VERB,
  describe: DESCRIBE_VERB,
  publish: PUBLISH_VERB,
  token: {
    meaning: 'print a token for a holder of the connection service',
    flags: { ...TOKEN_FLAGS, ...CONFIG_FLAG },
    run: token,
  },
  export: EXPORT_VERB,
  import: IMPORT_VERB,
  rehearse: REHEARSE_VERB,
  repair: REPAIR_VERB,
  unpin: UNPIN_VERB,
  schema: {
    meaning: 'print the JSON Schema of the configuration, or of component.json',
    flags: {},
    argument: 'file',
    optional: true,
    choices: Object.keys(SCHEMAS),
    run: async (_flags, file = DEFAULT_FILE) => say(JSON.stringify(SCHEMAS[file]?.(), null, 2)),
  },
  completion: {
    meaning: 'print a script that has a shell complete the commands',
    flags: {},
    argument: 'shell',
    choices: SHELLS,
    run: completion,
  },
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number | undefined> {
  const program = programName(process.argv[1] ?? PROGRAM, process.cwd());
  const command = parseCommand(args, VERBS, DEFAULT_VERB);
  switch (command.kind) {
    case 'fault':
      return refuse(`${command.detail}; see ${program} --help`, 2);
    case 'help':
      return say(helpText(program, VERBS, command.verb));
    case 'version':
      return say(VERSION);
    case 'verb':
      return run(command.verb, command.flags, command.argument, { say, note, interrupted, program });
  }
}

async function run(
  verb: string,
  flags: FlagValues,
  argument: string | undefined,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    return await VERBS[verb]?.run(flags, argument, terminal);
  } catch (error) {
    return refuse(error instanceof ConfigError ? error.message : explain(error), 1);
  }
}

async function serve(flags: FlagValues): Promise<number | undefined> {
  const config = configFrom(flags);
  const [demo, starter] = [flags.demo === true, flags.starter === true];
  if ((demo || starter) && config.mode === 'mirror')
    throw new Error(
      `a mirror shows what its peers show: start it without --${demo ? 'demo' : 'starter'}, or set mode to "registry"`,
    );
  if (starter) await prepareStarter(PACKAGE_FOLDER, note);
  boundHeapGrowth();
  const log = createLog({
    level: config.log.level,
    rewritten: process.stdout.isTTY ? await lineForPeople() : undefined,
  });
  const node = createNode(config, { log }, { demo, starter });
  let stopping = false;
  const stop = () => {
    stopping = true;
    return node.stop();
  };
  endOnSignals({ stop, process, clock: systemClock, log, graceMs: GRACE_MS });
  try {
    const started = await node.start();
    if (process.stdout.isTTY) say(startBanner({ version: VERSION, write: config.write, demo, ...started }));
    return undefined;
  } catch (error) {
    // A start that a signal broke off has no fault to tell of; the signal ends the process.
    if (stopping) return undefined;
    refuse(startFault(error, config), 1);
    // Whatever the failed start has left open must not keep the process.
    process.exit(1);
  }
}

/** A node may be running: it goes on with the same trail of what was done. */
async function token(flags: FlagValues): Promise<number> {
  const config = configFrom(flags);
  const made = await makeToken(flags, config, systemClock);
  const { holder, scope = 'write', expires = '30d' } = flags;
  const deed = { what: `made a token to ${scope}, for ${expires}`, subjects: [String(holder)] };
  await recordOnCommandLine(deed, config, note);
  return say(made);
}

async function completion(_flags: FlagValues, shell = ''): Promise<number> {
  const described = { program: PROGRAM, verbs: VERBS, common: COMMON_FLAGS, fallback: DEFAULT_VERB };
  return say(completionScript(shell, described));
}

/** Why a node did not start, in the operator's words where the reason is one that operators meet. */
function startFault(error: unknown, { listen, dataDir }: Config): string {
  const known: Record<string, string> = {
    EADDRINUSE: `port ${listen.port} on ${listen.host} is in use: stop the program that has it, or set listen.port (REGISTRY_LISTEN_PORT)`,
    EADDRNOTAVAIL: `${listen.host} is not an address of this machine: set listen.host (REGISTRY_LISTEN_HOST)`,
    LEVEL_LOCKED: `the data directory ${dataDir} is in use by another process, probably a second node: stop it, or set dataDir (REGISTRY_DATA_DIR)`,
  };
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const words = known[(at as NodeJS.ErrnoException).code ?? ''];
    if (words) return words;
  }
  return `the node cannot start: ${explain(error)}`;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** From now on, the first signal that ends the process only aborts this one; the second ends it. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => controller.abort(new Error(`ended by ${signal}`)));
  return controller.signal;
}

function refuse(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}
