import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { combinationFaults } from './config/combinations.js';
import { DEFAULT_FILE } from './config/defaults.js';
import {
  type Environment,
  nameVariable,
  OPERATOR_TOKEN,
  STORE_URL,
  settingsFrom,
  tokenFaults,
  unknownVariables,
  withSetting,
} from './config/environment.js';
import { ConfigError, type ConfigFault } from './config/fault.js';
import { parseSettings } from './config/parse.js';
import { PORT, type Settings } from './config/schema.js';
import { MalformedInput } from './lib/faults.js';
import type { ClientCredentials } from './lib/fetch/solid-oidc.js';
import { parseCommentedJson } from './lib/json.js';

type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T;

/**
 * A trusted pod; `auth` names environment variables, `credentials` are their values. The issuer is the pod's origin when the
 * file names none.
 */
type PodEntry = Frozen<Settings['pods'][number]> & { readonly credentials?: ClientCredentials };

/**
 * The configuration of a node: complete, checked, frozen. Its keys are those of the file (design, section 2);
 * each is described once, in config/schema.ts.
 */
export interface Config extends Frozen<Omit<Settings, 'dataDir' | 'pods' | 'connection'>> {
  /** Absolute path. */
  readonly dataDir: string;
  readonly pods: readonly PodEntry[];
  readonly connection: Frozen<Required<Settings['connection']>>;
  /** From `REGISTRY_OPERATOR_TOKEN`. */
  readonly operatorToken?: string;
  /** From `REGISTRY_STORE_URL`; may hold a password. */
  readonly storeUrl?: string;
}

/**
 * The configuration of a node that listens on `port`, which is news when `listen.port` was 0: until then
 * `baseUrl` may hold the placeholder `<port>`.
 */
export function listeningOn(config: Config, port: number): Config {
  return deepFreeze({
    ...config,
    baseUrl: config.baseUrl.replace(PORT, String(port)),
    listen: { ...config.listen, port },
  });
}

/**
 * Reads a file, and the environment, which wins over it.
 * @param isOptional are the defaults enough where there is no file of the default name?
 * @throws ConfigError with every fault of both
 */
export function loadConfig(given: { file?: string; env?: Environment; isOptional?: boolean } = {}): Config {
  const { file = DEFAULT_FILE, env = process.env, isOptional = false } = given;
  const path = resolve(file);
  const isMissing = isOptional && file === DEFAULT_FILE && !existsSync(path);
  return parseConfig(isMissing ? {} : readJson(file, path), { file, directory: dirname(path), env });
}

/**
 * The configuration that a value of the file's form describes together with an environment.
 * @param origin `file`: what messages call it; `directory`: what a relative `dataDir` is relative to
 * @throws ConfigError with every fault of both
 */
export function parseConfig(
  value: unknown,
  { file = DEFAULT_FILE, directory, env }: { file?: string; directory: string; env: Environment },
): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(file, [{ key: file, detail: 'must be a JSON object, like { "write": "off" }' }]);
  const { $schema: _, ...written } = value as Record<string, unknown>;
  const fromEnv = settingsFrom(env);
  const named = (faults: readonly ConfigFault[]) => faults.map((fault) => nameVariable(fault, fromEnv));
  const parsed = parseSettings(fromEnv.reduce(withSetting, written));
  if ('faults' in parsed) throw new ConfigError(file, named(parsed.faults));
  const { settings } = parsed;
  const secrets = settings.pods.flatMap(({ auth }) => (auth ? [auth.id, auth.secret] : []));
  const variables = [...unknownVariables(env, secrets), ...tokenFaults(env)];
  const faults = [...named(combinationFaults(settings, env)), ...variables];
  if (faults.length > 0) throw new ConfigError(file, faults);
  return complete(settings, directory, env);
}

/**
 * The right to write to a pod, for the command `publish`: client credentials as pod servers give them to their users.
 * @throws Error when one of the two is missing
 */
export function podLogin(env: Environment = process.env): { id: string; secret: string } | undefined {
  const { POD_CLIENT_ID: id, POD_CLIENT_SECRET: secret } = env;
  if (!id && !secret) return undefined;
  if (id && secret) return { id, secret };
  throw new Error(
    `set ${id ? 'POD_CLIENT_SECRET' : 'POD_CLIENT_ID'}, too: your pod's server has given you both`,
  );
}

function readJson(file: string, path: string): unknown {
  try {
    return parseCommentedJson(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ConfigError(file, [unreadable(error as NodeJS.ErrnoException, file, path)]);
  }
}

function unreadable(error: NodeJS.ErrnoException, file: string, path: string): ConfigFault {
  if (error instanceof MalformedInput) return { key: file, detail: error.message };
  if (error.code !== 'ENOENT') return { key: path, detail: `cannot be read (${error.message})` };
  const mend =
    'name one with --config, or write one (docs/operators.md has every key; {} sets nothing but defaults)';
  return { key: path, detail: `there is no such file: ${mend}` };
}

function complete(settings: Settings, directory: string, env: Environment): Config {
  const operatorToken = env[OPERATOR_TOKEN];
  const config: Config = deepFreeze({
    ...settings,
    dataDir: resolve(directory, settings.dataDir),
    pods: settings.pods.map((pod) => withCredentials(pod, env)),
    // Several mirrors may serve the same readers, and the records of holders belong to one node.
    connection: { enabled: settings.mode !== 'mirror', ...settings.connection },
    operatorToken,
    storeUrl: env[STORE_URL],
  });
  return config.listen.port === 0 ? config : listeningOn(config, config.listen.port);
}

/** The addresses of pods that are read with credentials: what others may not read there is public on the node. */
export function privatePodsIn({ pods }: Pick<Config, 'pods'>): string[] {
  return pods.flatMap(({ url, credentials }) => (credentials ? url : []));
}

function withCredentials(pod: Settings['pods'][number], env: Environment): PodEntry {
  if (!pod.auth) return pod;
  const { id, secret, issuer = new URL(pod.url).origin } = pod.auth;
  return { ...pod, credentials: { id: env[id] ?? '', secret: env[secret] ?? '', issuer } };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
