import * as z from 'zod';
import { settings } from './schema.js';

/** One key that can be set, by file or by environment. */
export interface Setting {
  /** As the file nests it: `listen.port`. */
  readonly key: string;
  /** `REGISTRY_LISTEN_PORT`. */
  readonly variable: string;
  /** What kind of JSON value it is. */
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  /** As JSON. */
  readonly default: string;
  readonly meaning: string;
}

/** JSON Schema (draft 2020-12) of node.config.json, for editors; they look for it under `$schema`. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema: dialect, properties, ...rest } = z.toJSONSchema(settings, { io: 'input' });
  const here = { $schema: { type: 'string', description: 'where editors find the schema' } };
  // Editors that know JSON with comments (VS Code) then find no fault in them.
  const comments = { allowComments: true, allowTrailingCommas: true };
  const title = 'node.config.json';
  return { $schema: dialect, title, ...comments, ...rest, properties: { ...here, ...properties } };
}

/** Every key in the order of the schema; the table in docs/operators.md is made of these. */
export function configReference(): readonly Setting[] {
  return settingsIn(settings, []);
}

function settingsIn({ shape }: z.ZodObject, path: readonly string[]): Setting[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    // Of a key without a default, the schema is not wrapped in one.
    const { innerType: value = schema, defaultValue } = schema._zod.def as Partial<z.core.$ZodDefaultDef>;
    const here = [...path, name];
    if (value instanceof z.ZodObject) return settingsIn(value, here);
    const { description = '', default: standard = defaultValue } = z.globalRegistry.get(schema) ?? {};
    const named = { key: here.join('.'), variable: variableOf(here), type: typeOf(value) };
    return { ...named, default: JSON.stringify(standard), meaning: description };
  });
}

function typeOf(schema: z.core.$ZodType): Setting['type'] {
  if (schema instanceof z.ZodArray) return 'array';
  // An object whose keys the operator chooses is one setting.
  if (schema instanceof z.ZodRecord) return 'object';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return schema instanceof z.ZodNumber ? 'integer' : 'string';
}

function variableOf(path: readonly string[]): string {
  const snake = path.map((name) => name.replace(/[A-Z]/g, '_$&').toUpperCase());
  return `REGISTRY_${snake.join('_')}`;
}
