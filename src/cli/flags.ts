import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../config/schema.js';
import { type Config, DEFAULT_FILE, loadConfig } from '../config.js';
import type { Flag, FlagValues } from '../lib/command-line.js';

export function textOf(value: FlagValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The values of a flag that may be given several times, or once with spaces between. */
export function wordsOf(value: FlagValues[string]): string[] | undefined {
  return textOf(value)
    ?.split(/\s+/)
    .filter((word) => word !== '');
}

/** The flag of all verbs that need a configuration. */
export const CONFIG_FLAG = {
  config: { value: 'file', meaning: `configuration (${DEFAULT_FILE} when absent)` },
};

/** The configuration that the flag names. @throws ConfigError with every fault of it */
export function configFrom({ config: file }: FlagValues): Config {
  return loadConfig({ file: textOf(file) });
}

/** The flag of all verbs that read or write terms of a vocabulary. */
export const VOCABULARY_FLAG = {
  vocabulary: { value: 'iri', meaning: `namespace of its terms (${DEFAULT_VOCABULARY} when absent)` },
};

/** The vocabulary that the flag names. */
export function vocabularyFrom({ vocabulary }: FlagValues): Vocabulary {
  return createVocabulary(textOf(vocabulary) ?? DEFAULT_VOCABULARY);
}

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
