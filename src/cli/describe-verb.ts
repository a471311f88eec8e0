import { writeFile } from 'node:fs/promises';
import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../config/schema.js';
import { checkedComponents, componentQuads } from '../describe/component-quads.js';
import { type Described, describePackage } from '../describe/describe-package.js';
import { filesAtUrl, filesInFolder } from '../describe/package-files.js';
import { turtleText } from '../describe/turtle-text.js';
import type { FlagValues } from '../lib/command-line.js';
import { createGuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { VERSION } from '../lib/version.js';
import { askShapes } from './ask-shapes.js';
import { textOf, wordsOf } from './flag-text.js';
import { DEFAULT_NODE } from './query-node.js';
import type { RunnableVerb, Terminal } from './runnable-verb.js';

export const DESCRIBE_VERB: RunnableVerb = {
  meaning: 'write the description of a custom element from its npm package',
  flags: {
    shape: {
      value: 'iri',
      several: true,
      meaning: 'what the element renders, as an IRI or foaf:Person; may be repeated (asked for when absent)',
    },
    element: { value: 'name', meaning: 'which element, when the package has several' },
    base: {
      value: 'url',
      meaning: "where the package's folder is on the web (where npm's packages are served when absent)",
    },
    node: { value: 'url', meaning: `the node whose shapes are offered (${DEFAULT_NODE} when absent)` },
    out: { value: 'file', meaning: 'the file to write (standard output when absent)' },
    vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
  },
  argument: 'folder, or URL of a package.json',
  async run(flags, argument = '', terminal) {
    const fetch = createGuardedFetch({
      userAgent: `component-registry-node/${VERSION} describe`,
      // Users choose the address themselves, on their own machine.
      allowPrivate: true,
      maxBytes: 10_000_000,
      timeoutMs: 30_000,
    });
    try {
      const described = await describePackage({
        files: /^https?:\/\//i.test(argument) ? filesAtUrl(argument, fetch) : filesInFolder(argument),
        element: textOf(flags.element),
        base: textOf(flags.base),
        shapes: wordsOf(flags.shape) ?? (await askShapes(flags, fetch, terminal)),
      });
      await put(
        turtle(described, createVocabulary(textOf(flags.vocabulary) ?? DEFAULT_VOCABULARY)),
        flags,
        terminal,
      );
      if (flags.out !== undefined) for (const note of described.notes) terminal.note(note);
      return 0;
    } finally {
      await fetch.close();
    }
  },
};

async function put(text: string, { out }: FlagValues, { say, note, program }: Terminal): Promise<void> {
  if (out === undefined) return say(text.trimEnd());
  await writeFile(String(out), text);
  note(`written to ${out}; now check it: ${program} lint ${out}`);
}

/** @throws Error for what breaks the rules for components, which an author has said then */
function turtle({ component, notes }: Described, vocabulary: Vocabulary): string {
  const text = turtleText(componentQuads(checkedComponents(component, vocabulary), vocabulary), vocabulary);
  return [...notes.map((note) => `# ${note}\n`), text].join('');
}
