import * as z from 'zod';
import { type Metadata, metadataSchema } from '../component/metadata.js';
import { jsonValue } from '../lib/json.js';

/** The file, beside package.json, in which authors describe components. */
export const COMPONENT_JSON = 'component.json';

/** What is read of a package.json; everything else in it is left alone. */
const packageJson = z.object({
  name: z.string(),
  version: z.string().optional(),
  description: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
  customElements: z.string().optional(),
  module: z.string().optional(),
  main: z.string().optional(),
  unpkg: z.string().optional(),
  jsdelivr: z.string().optional(),
  browser: z.unknown().optional(),
  exports: z.unknown().optional(),
});

export type PackageJson = z.infer<typeof packageJson>;

/** @throws Error that says what is wrong with it */
export function readPackageJson(text: string): PackageJson {
  const json = jsonValue(text);
  if (json === undefined) throw new Error('package.json is not JSON');
  const read = packageJson.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const what = issue?.path.join('.') || 'something';
  throw new Error(`package.json has ${what} that is not as npm has it: ${issue?.message}`);
}

/**
 * The files that a package offers to browsers, best first: what it says is ready for them, then its modules. Conditions of
 * `exports` are followed as browsers' bundlers do (Node.js, "Conditional exports").
 */
export function offeredModules({ unpkg, jsdelivr, browser, exports, module, main }: PackageJson): string[] {
  const root = (exports as Readonly<Record<string, unknown>> | undefined)?.['.'] ?? exports;
  const said = [unpkg, jsdelivr, browser, ...targetsOf(root), module, main];
  const paths = said.filter((path) => typeof path === 'string');
  return [...new Set(paths.map((path) => path.replace(/^\.\//, '')))];
}

function targetsOf(target: unknown): string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(targetsOf);
  if (typeof target !== 'object' || target === null) return [];
  const conditions = target as Readonly<Record<string, unknown>>;
  return ['browser', 'import', 'module', 'default'].flatMap((condition) => targetsOf(conditions[condition]));
}

/** What an author says of a custom element beside package.json. What is absent there is taken from the package. */
const entry = z
  .strictObject({
    ...metadataSchema.partial().shape,
    $schema: z.string().optional().describe('where editors find what may be said here'),
    element: z.string().optional().describe('which element of the package is meant, when it has several'),
    shapes: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('what it renders: IRIs of classes or shapes, or names with a usual prefix, as foaf:Person'),
  })
  .describe('A custom element of the package beside this file, for the command publish.');
const componentJson = z.union([entry, z.array(entry).min(1).describe('one for each element of the package')]);

export type ComponentJson = z.infer<typeof entry>;

/** What component.json says, one entry for each element. @throws Error that says what is wrong with it */
export function readComponentJson(text: string): ComponentJson[] {
  const json = jsonValue(text);
  if (json === undefined) throw new Error(`${COMPONENT_JSON} is not JSON`);
  const entries: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (entries.length === 0) throw new Error(`${COMPONENT_JSON} describes nothing`);
  return entries.map((one) => {
    const read = entry.safeParse(one);
    if (read.success) return read.data;
    throw new Error(`${COMPONENT_JSON}: ${read.error.issues.flatMap(faultsOf).join(', ')}`);
  });
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${issue.path.join('.') || 'it'} ${issue.message}`];
  const known = Object.keys(entry.shape).join(', ');
  return issue.keys.map((key) => `${key} is none of its keys (there are ${known})`);
}

/** The fields of a description that an entry says itself. */
export function saidFields({ $schema: _, element: __, ...fields }: ComponentJson): Partial<Metadata> {
  return fields as Partial<Metadata>;
}

/** For editors (JSON Schema 2020-12). */
export function componentJsonSchema(): object {
  return { title: COMPONENT_JSON, ...z.toJSONSchema(componentJson, { io: 'input' }) };
}

/** A custom element of a package, as its manifest tells of it. */
export interface FoundElement {
  readonly name: string;
  readonly description?: string | undefined;
  /** Names of attributes; properties that have none are named as they are. */
  readonly attributes: readonly string[];
  readonly events: readonly string[];
}

const member = z.object({ kind: z.string().optional(), name: z.string().optional() });
const members = z.array(member).default([]);
const text = z.string().optional();
const declaration = z.object({
  ...{ tagName: text, name: text, description: text, summary: text },
  ...{ attributes: members, events: members, members },
});
const definition = member.extend({ declaration: member.optional() });
const manifest = z.object({
  modules: z.array(
    z.object({ declarations: z.array(declaration).default([]), exports: z.array(definition).default([]) }),
  ),
});

/** The elements in a custom elements manifest (schema 1 and 2); none when it is none. */
export function elementsInManifest(json: string): FoundElement[] {
  const modules = manifest.safeParse(jsonValue(json)).data?.modules ?? [];
  return modules.flatMap(({ declarations, exports }) => {
    const definitions = exports.filter(({ kind }) => kind === 'custom-element-definition');
    return declarations.flatMap((said) => {
      const name = said.tagName ?? definitions.find((one) => one.declaration?.name === said.name)?.name;
      return name === undefined ? [] : [elementOf(name, said)];
    });
  });
}

function elementOf(name: string, said: z.infer<typeof declaration>): FoundElement {
  const names = (list: z.infer<typeof members>, only?: string) =>
    list.flatMap((one) => (only === undefined || one.kind === only ? (one.name ?? []) : []));
  return {
    name,
    description: said.summary ?? said.description,
    attributes: [...new Set([...names(said.attributes), ...names(said.members, 'field')])],
    events: names(said.events),
  };
}
