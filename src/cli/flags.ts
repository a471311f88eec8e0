import { DEFAULT_FILE, DEFAULT_VOCABULARY } from '../config/defaults.js';
import type { Flag } from '../lib/command-line.js';

/** The node that is asked when none is named: the one that `npm start` runs. */
export const DEFAULT_NODE = 'http://localhost:3000';

/** How many components `query` shows when nothing is said about it. */
export const DEFAULT_LIMIT = 20;

/** The forms in which `query` prints an answer, and what it asks a node for; `text` is for people. */
export const QUERY_FORMATS: Readonly<Record<string, string>> = {
  text: 'application/json',
  json: 'application/json',
  turtle: 'text/turtle',
};

/** The flag of all verbs that need a configuration. */
export const CONFIG_FLAG = {
  config: { value: 'file', meaning: `configuration (${DEFAULT_FILE} when absent)` },
};

/** The flag of all verbs that read or write terms of a vocabulary. */
export const VOCABULARY_FLAG = {
  vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
};

/** The flag of both verbs that move data. */
export const WITHOUT_CONNECTIONS = {
  'without-connections': { meaning: 'leave out the connection service, and with it all secrets' },
};

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
  ...VOCABULARY_FLAG,
} satisfies Record<string, Flag>;
