import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from '../../component/metadata.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { type ComponentJson, readComponentJson } from '../../describe/component-json.js';
import { COMPONENT_JSON } from '../../describe/component-json-name.js';
import { checkedComponents } from '../../describe/component-quads.js';
import { describePackage } from '../../describe/describe-package.js';
import { packageFiles } from '../../describe/package-files.js';
import type { FlagValues } from '../../lib/command-line.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { askShapes } from '../ask-shapes.js';
import { textOf, wordsOf } from '../flag-values.js';
import type { Terminal } from '../runnable-verb.js';

export interface PackageComponents {
  readonly components: readonly Metadata[];
  /** What was guessed: sentences. */
  readonly notes: readonly string[];
  /** Writes down what was asked, so that it is asked once. */
  remember(): Promise<void>;
}

/**
 * The components that a package publishes: what component.json lists, else its one element. What is missing is asked for where there
 * is a terminal. To withdraw them, less has to be known.
 * @throws Error that says what is missing
 */
export async function componentsOfPackage(
  argument: string,
  { flags, fetch, vocabulary }: { flags: FlagValues; fetch: GuardedFetch; vocabulary: Vocabulary },
  terminal: Terminal,
): Promise<PackageComponents> {
  const files = packageFiles(argument, fetch);
  const text = await files.read(COMPONENT_JSON);
  const entries: readonly ComponentJson[] = text === undefined ? [{}] : readComponentJson(text);
  const given = flags.withdraw ? [] : wordsOf(flags.shape);
  const described: { component: object; notes: readonly string[] }[] = [];
  const asked: ComponentJson[] = [];
  for (const entry of entries) {
    const shapes = entry.shapes ?? given ?? (await askShapes(flags, fetch, terminal, entry.element));
    asked.push({ ...entry, shapes });
    const about = { files, base: textOf(flags.base), element: textOf(flags.element), shapes, said: entry };
    described.push(await describePackage(about));
  }
  const isAsked = given === undefined && entries.some((entry) => !entry.shapes);
  return {
    components: checkedComponents(
      described.map(({ component }) => component),
      vocabulary,
    ),
    notes: described.flatMap(({ notes }) => notes),
    async remember() {
      if (!isAsked || files.url !== undefined) return;
      const answers = asked.length === 1 ? asked[0] : asked;
      await writeFile(join(files.name, COMPONENT_JSON), `${JSON.stringify(answers, null, 2)}\n`);
      terminal.note(`${COMPONENT_JSON} has your answers, so that nobody is asked again`);
    },
  };
}
