import { readFile } from 'node:fs/promises';
import { canonicalShapes } from './component/canonical-shape.js';
import type { Metadata } from './component/metadata.js';
import { shapeIri } from './component/shape-names.js';
import { unlessMissing } from './lib/missing-file.js';

/** Where the examples are, below the public URL of the node. */
export const EXAMPLES_PATH = '/demo/examples';
const FILE = 'docs/samples/examples.ttl';
/** Classes that everything is of: who renders them is shown with the first example. */
const OF_EVERYTHING = ['rdfs:Resource', 'owl:Thing', 'schema:Thing'].map(shapeIri);

/** Small documents of data, one for each kind of thing, to show components with whose authors name none. */
export interface Examples {
  /** Turtle, by name: `foaf-Person.ttl`. */
  readonly documents: ReadonlyMap<string, string>;
  /** The name of the example for a component, by what it renders; undefined where there is none. */
  readonly nameFor: (component: Pick<Metadata, 'shapes' | 'capability'>) => string | undefined;
}

/** @param packageFolder a URL with a slash at the end. The file is read when it is first needed. */
export function examplesIn(packageFolder: URL): () => Promise<Examples> {
  let reading: Promise<Examples> | undefined;
  return () => {
    reading ??= readFile(new URL(FILE, packageFolder), 'utf8').catch(unlessMissing).then(examplesOf);
    // A file that could not be read this time is tried again.
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
}

/** Prefixes come first; each block after them is an example, and begins with the classes of the thing. */
function examplesOf(text = ''): Examples {
  const [prefixes = '', ...blocks] = text.split('\n\n');
  const documents = new Map<string, string>();
  const byShape = new Map<string, string>();
  for (const block of blocks) {
    const classes = (/^<#it> a ([^;]+);/.exec(block)?.[1] ?? '').split(', ');
    const name = `${classes[0]?.replace(':', '-')}.ttl`;
    documents.set(name, `${prefixes}\n\n${block}`);
    for (const one of [...classes.map(shapeIri), ...(documents.size === 1 ? OF_EVERYTHING : [])])
      byShape.set(one, byShape.get(one) ?? name);
  }
  const nameFor: Examples['nameFor'] = ({ shapes, capability = [] }) => {
    const types = capability.flatMap(({ resourceType = [] }) => resourceType);
    const found = canonicalShapes([...shapes, ...types]).find((shape) => byShape.has(shape));
    return found && byShape.get(found);
  };
  return { documents, nameFor };
}
