import { jsonValue } from '../lib/json.js';
import type { ConfigFault } from './fault.js';
import { configReference, type Setting } from './reference.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The secret of the node itself; it has no key, so that it cannot end up in a file. */
export const OPERATOR_TOKEN = 'REGISTRY_OPERATOR_TOKEN';

/** The address of the database, with a password in it: it has no key either. */
export const STORE_URL = 'REGISTRY_STORE_URL';

/** A setting and the value that the environment gives it. */
interface GivenSetting {
  readonly setting: Setting;
  readonly value: unknown;
}

/** The settings that the environment gives, which win over those of the file. */
export function settingsFrom(env: Environment): readonly GivenSetting[] {
  return configReference().flatMap((setting) => {
    const text = env[setting.variable];
    return text === undefined ? [] : [{ setting, value: settingValue(text, setting.type) }];
  });
}

/**
 * The JSON value that a variable's text stands for. Text that does not fit is passed on as text, so that
 * one place, the schema, finds the fault and says what is allowed.
 */
function settingValue(text: string, type: Setting['type']): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'object') return jsonValue(text) ?? text;
  if (type !== 'array') return text;
  if (text.trim() === '') return [];
  // A list may be written as JSON too: for pods with `auth`, and for URLs with a comma in them.
  return text.trim().startsWith('[') ? (jsonValue(text) ?? text) : text.split(',').map((item) => item.trim());
}

/** Variables that look like ours and set nothing. `named` are those that the configuration itself refers to. */
export function unknownVariables(env: Environment, named: readonly string[]): ConfigFault[] {
  const settings = configReference().map((setting) => setting.variable);
  const known = new Set([...settings, ...named, OPERATOR_TOKEN, STORE_URL]);
  const unknown = Object.keys(env).filter((name) => /^REGISTRY_/i.test(name) && !known.has(name));
  return unknown.map((key) => ({ key, detail: 'no such variable; docs/operators.md has a table of them' }));
}

/** A copy of the file's value with one setting of the environment put in its place. */
export function withSetting(
  written: Readonly<Record<string, unknown>>,
  { setting, value }: GivenSetting,
): Record<string, unknown> {
  const [section = '', name] = setting.key.split('.');
  if (name === undefined) return { ...written, [section]: value };
  const inside = written[section] ?? {};
  // A section that is no object stays as it is: that is a fault of the file, and will be reported.
  if (typeof inside !== 'object' || Array.isArray(inside)) return { ...written };
  return { ...written, [section]: { ...inside, [name]: value } };
}

/** A fault in what the environment gave is named after the variable: that is what has to be changed. */
export function nameVariable(fault: ConfigFault, given: readonly GivenSetting[]): ConfigFault {
  const origin = given.find(
    ({ setting }) => fault.key === setting.key || fault.key.startsWith(`${setting.key}[`),
  );
  if (!origin) return fault;
  const { key, variable } = origin.setting;
  return { ...fault, key: variable + fault.key.slice(key.length) };
}

/** What is wrong with the operator token, if there is one; a guessable one would guard nothing. */
export function tokenFaults({ [OPERATOR_TOKEN]: token }: Environment): ConfigFault[] {
  if (token === undefined) return [];
  const faults = [
    token.length < 16 && 'must have at least 16 characters (openssl rand -hex 32 makes a good one)',
    // Others could not be sent as `Authorization: Bearer` (RFC 6750, section 2.1).
    !/^[\w.~+/-]+=*$/.test(token) && 'may hold letters, digits and - . _ ~ + / only, and = at the end',
  ];
  return faults.flatMap((detail) => (detail ? { key: OPERATOR_TOKEN, detail } : []));
}
