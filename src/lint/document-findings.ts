import { ownTerms } from '../component/capability-terms.js';
import { FIELDS } from '../component/fields.js';
import type { Metadata } from '../component/metadata.js';
import { LatestCheck } from '../component/versions.js';
import { nearest } from '../lib/nearest.js';
import type { DocumentTerms } from './document-terms.js';
import { advice, type Finding, fault } from './finding.js';

/** What the terms of a document show; `empty`: it describes no component. */
export function termFindings(
  { unknown, unknownClasses, isContainer, members }: DocumentTerms,
  empty: boolean,
): Finding[] {
  const terms = [...FIELDS, 'component', ...ownTerms('')];
  const misspelt = [
    ...unknown.map((term) => misspeltFinding(term, nearest(term, terms))),
    ...unknownClasses.map((term) => classFinding(term, nearest(term, terms))),
  ];
  if (!empty || !isContainer) return misspelt;
  const example = members.length === 0 ? '' : `, for instance ${members.join(' or ')}`;
  return [
    fault(
      'it is a container, which describes no component itself',
      `name one of the documents in it${example}`,
    ),
    ...misspelt,
  ];
}

/** What the keys of a JSON document show that are not those of a field: some may be misspelt. */
export function keyFindings(keys: readonly string[]): Finding[] {
  const similar = keys.flatMap((key) => {
    const field = nearest(key, FIELDS);
    return field === undefined ? [] : [misspeltFinding(key, field)];
  });
  return similar.slice(0, NAMED);
}

/** How many findings of one kind are reported. */
const NAMED = 10;

function misspeltFinding(term: string, similar: string | undefined): Finding {
  return advice(
    `it uses ${term}, which is no term of the vocabulary`,
    similar
      ? `did you mean ${similar}? Nodes ignore what they do not know`
      : `there are ${FIELDS.join(', ')}`,
  );
}

/** Nodes find components by their properties: a class that they do not know keeps nothing from being listed. */
function classFinding(term: string, similar = 'component'): Finding {
  return advice(
    `the class ${term} is no term of the vocabulary`,
    `did you mean ${similar}? Nodes list what has a label, whatever its class; other programs may look for the class`,
  );
}

/** What the components of a document say, taken together, of which version is the latest. */
export function latestFindings(components: readonly Metadata[]): Finding[] {
  const check = new LatestCheck();
  for (const component of components) check.add(component.label, component);
  const faults = [...check.faults()].slice(0, NAMED);
  return faults.map(({ notice }) => advice(notice, 'say so of one: hosts ask for the latest'));
}
