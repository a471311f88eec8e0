import { writeFile } from 'node:fs/promises';
import type { Vocabulary } from '../component/vocabulary.js';
import { checkedComponents, componentQuads } from '../describe/component-quads.js';
import { type Described, describePackage } from '../describe/describe-package.js';
import { packageFiles } from '../describe/package-files.js';
import { turtleText } from '../describe/turtle-text.js';
import type { FlagValues } from '../lib/command-line.js';
import { withCommandFetch } from '../lib/fetch/command-fetch.js';
import { askShapes } from './ask-shapes.js';
import { textOf, vocabularyFrom, wordsOf } from './flag-values.js';
import type { RunVerb, Terminal } from './runnable-verb.js';

export const run: RunVerb = (flags, argument = '', terminal) =>
  withCommandFetch('describe', async (fetch) => {
    const described = await describePackage({
      files: packageFiles(argument, fetch),
      element: textOf(flags.element),
      base: textOf(flags.base),
      shapes: wordsOf(flags.shape) ?? (await askShapes(flags, fetch, terminal)),
    });
    const vocabulary = vocabularyFrom(flags);
    await put(turtle(described, vocabulary), flags, terminal);
    if (flags.out !== undefined) for (const note of described.notes) terminal.note(note);
    return 0;
  });

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
