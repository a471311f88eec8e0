import * as z from 'zod';
import { jsonValue } from '../lib/json-value.js';
import { dataNames, type FoundElement } from './guesses.js';

const named = z.object({ name: z.string().optional() }).loose();
const declaration = z
  .object({
    tagName: z.string().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    summary: z.string().optional(),
    attributes: z.array(named).optional(),
    events: z.array(named).optional(),
    members: z
      .array(z.object({ kind: z.string().optional(), name: z.string().optional() }).loose())
      .optional(),
  })
  .loose();
const definition = z
  .object({
    kind: z.string(),
    name: z.string(),
    declaration: z.object({ name: z.string() }).loose().optional(),
  })
  .loose();
const manifest = z.object({
  modules: z.array(
    z
      .object({
        declarations: z.array(declaration).optional(),
        exports: z.array(z.unknown()).optional(),
      })
      .loose(),
  ),
});

/** The elements in a custom elements manifest (schema 1 and 2); none when it is none. */
export function elementsInManifest(text: string): FoundElement[] {
  const read = manifest.safeParse(jsonValue(text));
  if (!read.success) return [];
  return read.data.modules.flatMap(({ declarations = [], exports = [] }) => {
    const tags = new Map(
      exports.flatMap((one) => {
        const { success, data } = definition.safeParse(one);
        return success && data.kind === 'custom-element-definition'
          ? [[data.declaration?.name, data.name] as const]
          : [];
      }),
    );
    return declarations.flatMap((said) => {
      const name = said.tagName ?? tags.get(said.name);
      return name === undefined ? [] : [elementOf(name, said)];
    });
  });
}

function elementOf(name: string, said: z.infer<typeof declaration>): FoundElement {
  const names = (list: readonly { name?: string | undefined }[] = []) =>
    list.flatMap((one) => (one.name === undefined ? [] : [one.name]));
  const members = said.members ?? [];
  return {
    name,
    description: said.summary ?? said.description,
    attributes: [
      ...new Set([...names(said.attributes), ...names(members.filter(({ kind }) => kind === 'field'))]),
    ],
    events: names(said.events),
    methods: names(members.filter(({ kind }) => kind === 'method')),
  };
}

/** The elements that the text of a module defines, with those attributes in it that may take data. */
export function elementsInModule(source: string): FoundElement[] {
  const defined = [
    ...source.matchAll(/customElements\.define\(\s*["'`]([a-z][a-z0-9._]*-[a-z0-9._-]*)["'`]/g),
  ];
  const attributes = dataNames.filter((name) => isNamedIn(source, name));
  const names = [...new Set(defined.map(([, name = '']) => name))];
  return names.map((name) => ({ name, attributes, events: eventsIn(source), methods: methodsIn(source) }));
}

/** An attribute is named in code as a text, or, when it begins with `data-`, as a member of `dataset`. */
function isNamedIn(source: string, name: string): boolean {
  if (new RegExp(`["'\`]${name}["'\`]`).test(source)) return true;
  if (!name.startsWith('data-') || !/\bdataset\b/.test(source)) return false;
  const member = name.slice(5).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(`\\b${member}\\b`).test(source);
}

function eventsIn(source: string): string[] {
  return [
    ...new Set(
      [...source.matchAll(/new (?:Custom)?Event\(\s*["'`]([\w:-]+)["'`]/g)].map(([, name = '']) => name),
    ),
  ];
}

function methodsIn(source: string): string[] {
  return ['serialize', 'toRDF', 'getData'].filter((name) => new RegExp(`\\b${name}\\(`).test(source));
}
