import * as z from 'zod';
import { jsonValue } from '../lib/json-value.js';
import type { FoundElement } from './guesses.js';

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
