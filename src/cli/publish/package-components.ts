import type { Metadata } from '../../component/metadata.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { type ComponentJson, readComponentJson } from '../../describe/component-json.js';
import { COMPONENT_JSON } from '../../describe/component-json-name.js';
import { checkedComponents } from '../../describe/component-quads.js';
import { describePackage } from '../../describe/describe-package.js';
import { packageFiles } from '../../describe/package-files.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { PublishOptions } from './publish-options.js';

export interface PackageComponents {
  readonly components: readonly Metadata[];
  /** What was guessed: sentences. */
  readonly notes: readonly string[];
}

/**
 * The components that a package publishes: what component.json lists, else its one element. To withdraw them, less has to be known.
 * @throws Error that says what is missing
 */
export async function componentsOfPackage(
  argument: string,
  { options, fetch, vocabulary }: { options: PublishOptions; fetch: GuardedFetch; vocabulary: Vocabulary },
): Promise<PackageComponents> {
  const files = packageFiles(argument, fetch);
  const text = await files.read(COMPONENT_JSON);
  const entries: readonly ComponentJson[] = text === undefined ? [{}] : readComponentJson(text);
  const given = options.withdraw ? [] : options.shape;
  const described: { component: object; notes: readonly string[] }[] = [];
  for (const said of entries) {
    const shapes = said.shapes ?? given;
    if (!shapes)
      throw new Error(
        `name what ${said.element ?? 'the element'} renders: --shape <iri>, or "shapes" in ${COMPONENT_JSON} beside the package.json`,
      );
    const { base, element } = options;
    described.push(await describePackage({ files, base, element, shapes, said }));
  }
  return {
    components: checkedComponents(
      described.map(({ component }) => component),
      vocabulary,
    ),
    notes: described.flatMap(({ notes }) => notes),
  };
}
