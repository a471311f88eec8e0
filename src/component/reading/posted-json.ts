import { parseJsonBody } from '../../lib/json-fault.js';
import type { Undecoded } from '../../lib/pool/handed-text.js';
import type { Parsing, Task } from '../../lib/pool/task.js';
import { createVocabulary } from '../vocabulary.js';
import type { Described } from './described.js';
import { describedInPortions, joined } from './document-tasks.js';
import { describedInPostedJson } from './json-descriptions.js';

/** The body of a request, in JSON. */
export interface PostedJson {
  readonly text: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** The address of this node, without a trailing slash. */
  readonly baseUrl: string;
  /** Of an array with more items, none is looked at. */
  readonly most: number;
}

/** Reads the components of a posted JSON body. */
export const postedJsonTask: Task<PostedJson, Described> = {
  module: 'component/reading/posted-json.js',
  name: 'postedJsonTask',
  short: 10_000,
  *run({ text, namespace, baseUrl, most }) {
    const body = parseJsonBody(text);
    if (Array.isArray(body) && body.length > most)
      yield { components: [], invalid: [], unnamed: body.length };
    else
      yield* describedInPortions(
        describedInPostedJson(body, { baseUrl, vocabulary: createVocabulary(namespace) }),
      );
  },
};

/** Finds the components that a posted JSON body describes. @throws MalformedInput */
export function describePostedJson(
  body: Undecoded<PostedJson>,
  { pool, ...options }: Parsing,
): Promise<Described> {
  const size = body.text.length;
  return joined(pool.run(postedJsonTask, body, { ...options, size }));
}
