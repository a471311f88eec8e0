import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../config/defaults.js';
import { type Config, loadConfig } from '../config.js';
import type { FlagValues } from '../lib/command-line.js';

export function textOf(value: FlagValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The values of a flag that may be given several times, or once with spaces between. */
export function wordsOf(value: FlagValues[string]): string[] | undefined {
  return textOf(value)
    ?.split(/\s+/)
    .filter((word) => word !== '');
}

/** The configuration that the flag names. @throws ConfigError with every fault of it */
export function configFrom({ config: file }: FlagValues): Config {
  return loadConfig({ file: textOf(file) });
}

/** The vocabulary that the flag names. */
export function vocabularyFrom({ vocabulary }: FlagValues): Vocabulary {
  return createVocabulary(textOf(vocabulary) ?? DEFAULT_VOCABULARY);
}
