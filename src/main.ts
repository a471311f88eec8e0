#!/usr/bin/env node
import { join } from 'node:path';
import { createVocabulary } from './component/vocabulary.js';
import { DEFAULT_VOCABULARY } from './config/schema.js';
import { type Config, ConfigError, configJsonSchema, DEFAULT_FILE, loadConfig } from './config.js';
import { RECORD_LAYOUT } from './connection/records/records.js';
import { makeToken, TOKEN_FLAGS } from './connection/tokens/token-verb.js';
import { systemClock } from './lib/clock.js';
import { type FlagValues, helpText, parseCommand, type Verb } from './lib/command-line.js';
import { explain } from './lib/faults.js';
import { createLog } from './lib/log.js';
import { systemPace } from './lib/pace.js';
import { endOnSignals } from './lib/signals.js';
import { VERSION } from './lib/version.js';
import { hasErrors } from './lint/finding.js';
import { lintArgument } from './lint/lint-argument.js';
import { reportText } from './lint/report-text.js';
import { createNode } from './node.js';
import { repairDatabase } from './store/disk/repair/repair.js';
import { reconcileRecords } from './store/disk/repair/repair-records.js';
import { reconcileRegistry } from './store/disk/repair/repair-registry.js';
import { repairText } from './store/disk/repair/repair-report.js';

const PROGRAM = 'component-registry-node';
/** What a stop may take, in ms: process managers kill after 10 s. */
const GRACE_MS = 5000;

const CONFIG = { config: { value: 'file', meaning: `configuration (${DEFAULT_FILE} when absent)` } };

interface RunnableVerb extends Verb {
  /** Ends with the exit code, or with nothing while the process is to go on. */
  readonly run: (flags: FlagValues, argument: string) => Promise<number | undefined>;
}

const VERBS: Readonly<Record<string, RunnableVerb>> = {
  serve: { meaning: 'run the node (also when no command is given)', flags: CONFIG, run: serve },
  check: { meaning: 'say whether a configuration can be used', flags: CONFIG, run: check },
  token: {
    meaning: 'print a token for a holder of the connection service',
    flags: { ...TOKEN_FLAGS, ...CONFIG },
    run: token,
  },
  lint: {
    meaning: 'check a metadata document, and the modules it names, before it is published',
    flags: {
      base: { value: 'url', meaning: 'where a file will be published: relative uris lead from there' },
      vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
    },
    argument: 'url or file',
    run: lint,
  },
  repair: {
    meaning: 'look for damage in the data directory of a stopped node, and say what can be saved',
    flags: { apply: { meaning: 'repair it; the damaged files are kept beside' }, ...CONFIG },
    run: repair,
  },
  schema: { meaning: 'print the JSON Schema of the configuration', flags: {}, run: schema },
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number | undefined> {
  const command = parseCommand(args, VERBS, 'serve');
  switch (command.kind) {
    case 'fault':
      return refuse(`${command.detail}; see ${PROGRAM} --help`, 2);
    case 'help':
      return say(helpText(PROGRAM, VERBS, command.verb));
    case 'version':
      return say(VERSION);
    case 'verb':
      return run(command.verb, command.flags, command.argument);
  }
}

async function run(verb: string, flags: FlagValues, argument = ''): Promise<number | undefined> {
  try {
    return await VERBS[verb]?.run(flags, argument);
  } catch (error) {
    return refuse(error instanceof ConfigError ? error.message : explain(error), 1);
  }
}

async function serve(flags: FlagValues): Promise<number | undefined> {
  const config = configFrom(flags);
  const log = createLog({ level: config.log.level, pretty: process.stdout.isTTY });
  const node = createNode(config, { log });
  let stopping = false;
  const stop = () => {
    stopping = true;
    return node.stop();
  };
  endOnSignals({ stop, process, clock: systemClock, log, graceMs: GRACE_MS });
  try {
    await node.start();
    return undefined;
  } catch (error) {
    // A start that a signal broke off has no fault to tell of; the signal ends the process.
    if (stopping) return undefined;
    refuse(startFault(error, config), 1);
    // Whatever the failed start has left open must not keep the process.
    process.exit(1);
  }
}

async function check(flags: FlagValues): Promise<number> {
  const { baseUrl, mode, write, pods, peers, dataDir } = configFrom(flags);
  return say(
    `ok: ${mode} at ${baseUrl}, write ${write}, ${pods.length} pods, ${peers.length} peers, data in ${dataDir}`,
  );
}

async function token(flags: FlagValues): Promise<number> {
  return say(await makeToken(flags, configFrom(flags), systemClock));
}

async function lint(flags: FlagValues, argument: string): Promise<number> {
  const { vocabulary = DEFAULT_VOCABULARY, base } = flags;
  const report = await lintArgument(argument, createVocabulary(String(vocabulary)), base && String(base));
  say(reportText(report));
  return hasErrors(report) ? 1 : 0;
}

async function repair(flags: FlagValues): Promise<number> {
  const { dataDir, baseUrl, vocabulary } = configFrom(flags);
  const apply = flags.apply === true;
  const suffix = new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-');
  const given = { clock: systemClock, pace: systemPace };
  const databases = {
    registry: reconcileRegistry({ ...given, baseUrl, vocabulary: createVocabulary(vocabulary) }),
    connection: reconcileRecords(RECORD_LAYOUT, given),
  };
  let unrepaired = 0;
  for (const [name, reconcile] of Object.entries(databases)) {
    const directory = join(dataDir, name);
    const outcome = await repairDatabase(directory, { apply, reconcile, suffix, pace: systemPace });
    say(repairText(directory, outcome));
    if (outcome && outcome.findings.damaged.length > 0 && !outcome.kept) unrepaired += 1;
  }
  return unrepaired === 0 ? 0 : 1;
}

async function schema(): Promise<number> {
  return say(JSON.stringify(configJsonSchema(), null, 2));
}

function configFrom({ config: file }: FlagValues): Config {
  return loadConfig({ file: typeof file === 'string' ? file : undefined });
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

function refuse(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}
