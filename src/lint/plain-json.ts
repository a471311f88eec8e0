import type { Described } from '../component/reading/described.js';
import { describedInPortions, joined } from '../component/reading/document-tasks.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import { createVocabulary } from '../component/vocabulary.js';
import { parseBoundedJson } from '../lib/bounded-json.js';
import type { Parsing, Task } from '../lib/pool/task.js';
import { otherKeys } from './document-terms.js';

interface PlainJson {
  readonly text: string;
  /** Of the vocabulary. */
  readonly namespace: string;
}

/** Some keys that are no names of fields, or a portion of what is described. */
type Portion = { readonly keys: readonly string[] } | { readonly described: Described };

/** Objects that are looked at. */
const MOST_OBJECTS = 100;

/** Reads the components that plain JSON describes; in a worker, because objects of strangers may have many thousands of faults. */
export const plainJsonTask: Task<PlainJson, Portion> = {
  module: 'lint/plain-json.js',
  name: 'plainJsonTask',
  *run({ text, namespace }) {
    const body = parseBoundedJson(text);
    const some = Array.isArray(body) ? body.slice(0, MOST_OBJECTS) : body;
    yield { keys: otherKeys(some) };
    const described = describedInJson(some, createVocabulary(namespace));
    for (const portion of describedInPortions(described)) yield { described: portion };
  },
};

/** The components that plain JSON describes, and keys that may be misspelt. @throws MalformedInput */
export async function readPlainJson(
  document: PlainJson,
  { pool, ...options }: Parsing,
): Promise<{ described: Described; keys: readonly string[] }> {
  const pieces = pool.run(plainJsonTask, document, { ...options, size: document.text.length });
  let keys: readonly string[] = [];
  const described = await joined(
    (async function* () {
      for await (const piece of pieces) {
        if ('keys' in piece) keys = piece.keys;
        else yield piece.described;
      }
    })(),
  );
  return { described, keys };
}
