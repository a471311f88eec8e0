import coerceVersion from 'semver/functions/coerce.js';
import validVersion from 'semver/functions/valid.js';
import { canonicalShape } from '../component/canonical-shape.js';
import { hasModule } from '../component/capability.js';
import { labelOfIri } from '../component/iri-label.js';
import type { Metadata } from '../component/metadata.js';
import { prefixIn } from '../component/shape-names.js';
import { excerpt } from '../lib/excerpt.js';
import { capabilityFindings } from './capability-findings.js';
import { advice, adviceIf, type Finding, ok, told } from './finding.js';

/** What would make a component easier to find, beside the rules that its metadata keeps already; a dozen of each kind. */
export function metadataFindings(component: Metadata): Finding[] {
  const { uri, label, description, version, latest, shapes, tag, capability } = component;
  // Versions and tags are of modules.
  const isModule = hasModule(capability);
  const all = [
    ...adviceIf(
      !isModule && label === labelOfIri(uri),
      `it has no name, and is listed as ${excerpt(label)}`,
      'name it with as:name, schema:name or rdfs:label',
    ),
    ...adviceIf(
      shapes.length === 0,
      'it names no shapes',
      'name the classes or shapes that it renders: hosts look for components by them',
    ),
    ...adviceIf(!description, 'it has no description', 'say in a sentence what it shows'),
    ...adviceIf(isModule && !version, 'it has no version', 'give it one, as in 1.0.0'),
    ...adviceIf(
      isModule && latest === undefined,
      'it does not say whether it is the latest version',
      'add latest true, or false',
    ),
    ...adviceIf(isModule && tag.length === 0, 'it has no tags', 'add a tag: element names are made of it'),
    ...told(shapes.flatMap(shapeFindings)),
    ...versionFindings(version),
    ...tagFindings(tag),
    ...capabilityFindings(capability ?? []),
  ];
  return all.length > 0 ? all : [ok('its metadata is complete')];
}

function shapeFindings(shape: string, index: number, shapes: readonly string[]): Finding[] {
  const isAgain = shapes.slice(0, index).some((one) => canonicalShape(one) === canonicalShape(shape));
  if (isAgain)
    return [
      advice(
        `its shape ${excerpt(shape)} is named in another spelling, too`,
        'leave one out: both spellings are found as one',
      ),
    ];
  const prefix = prefixIn(shape);
  return adviceIf(
    prefix !== undefined,
    `its shape ${excerpt(shape)} looks like a name with the prefix ${prefix}:, which was not expanded`,
    'write the whole IRI, or in Turtle the name without quotes and angle brackets: no host looks for this one',
  );
}

function versionFindings(version: string | undefined): Finding[] {
  if (!version) return [];
  const example = `as in ${coerceVersion(version)?.version ?? '1.0.0'}`;
  return adviceIf(
    validVersion(version) === null,
    `its version ${excerpt(version)} is no semantic version`,
    `write it with three numbers, ${example}: hosts ask for ranges of versions`,
  );
}

function tagFindings(tag: readonly string[]): Finding[] {
  const others = tag.filter((one) => !/^[a-z0-9-]+$/.test(one));
  return adviceIf(
    others.length > 0,
    `its ${others.length === 1 ? 'tag' : 'tags'} ${excerpt(others.join(', '))} cannot be part of an element's name`,
    'write tags with a to z, 0 to 9 and hyphens only: some hosts name the element after the tag as it is',
  );
}
