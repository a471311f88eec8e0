import * as z from 'zod';
import { once } from '../lib/once.js';
import { settings } from './schema.js';

/** The part of JSON Schema that `settings` makes use of. */
interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** What an object has whose keys the operator chooses. */
  readonly additionalProperties?: JsonSchema | false;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
  readonly description?: string;
}

/** One key that can be set, by file or by environment. */
export interface Setting {
  /** As the file nests it: `listen.port`. */
  readonly key: string;
  /** `REGISTRY_LISTEN_PORT`. */
  readonly variable: string;
  readonly type: JsonSchema['type'];
  /** As JSON. */
  readonly default: string;
  readonly meaning: string;
}

const jsonSchema = once(() => z.toJSONSchema(settings, { io: 'input' }) as JsonSchema);

/** JSON Schema (draft 2020-12) of node.config.json, for editors; they look for it under `$schema`. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = jsonSchema();
  const { $schema: dialect, ...rest } = schema as Record<string, unknown>;
  const properties = { $schema: { type: 'string', description: 'where editors find the schema' } };
  return {
    $schema: dialect,
    title: 'node.config.json',
    // Editors that know JSON with comments (VS Code) then find no fault in them.
    allowComments: true,
    allowTrailingCommas: true,
    ...rest,
    properties: { ...properties, ...schema.properties },
  };
}

/** Every key in the order of the schema; the table in docs/operators.md is made of these. */
export const configReference = once((): readonly Setting[] => settingsIn(jsonSchema(), []));

/** Key names that the schema knows inside `path` (list positions are numbers). */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  let at: JsonSchema | undefined = jsonSchema();
  for (const step of path) {
    const here = objectOf(at);
    at =
      typeof step === 'number'
        ? at?.items
        : (here?.properties?.[String(step)] ?? (here?.additionalProperties || undefined));
  }
  return Object.keys(objectOf(at)?.properties ?? {});
}

function objectOf(at: JsonSchema | undefined): JsonSchema | undefined {
  return at?.anyOf?.find((choice) => choice.type === 'object') ?? at;
}

function settingsIn(within: JsonSchema, path: readonly string[]): Setting[] {
  return Object.entries(within.properties ?? {}).flatMap(([name, property]) => {
    const here = [...path, name];
    // An object whose keys the operator chooses is one setting.
    return property.properties ? settingsIn(property, here) : [setting(property, here)];
  });
}

export function variableOf(path: readonly string[]): string {
  const snake = path.map((name) => name.replace(/[A-Z]/g, '_$&').toUpperCase());
  return `REGISTRY_${snake.join('_')}`;
}

function setting(property: JsonSchema, path: readonly string[]): Setting {
  return {
    key: path.join('.'),
    variable: variableOf(path),
    type: property.type,
    default: JSON.stringify(property.default),
    meaning: property.description ?? '',
  };
}
