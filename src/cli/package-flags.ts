import { DEFAULT_VOCABULARY } from '../config/schema.js';
import type { Flag } from '../lib/command-line.js';

/** The flags of the commands that describe what a package holds. */
export const PACKAGE_FLAGS = {
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
  vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
} satisfies Record<string, Flag>;
