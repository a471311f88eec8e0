import { createVocabulary } from '../../src/component/vocabulary.js';

/** What a node that tests of representations speak of calls itself, and the terms that it uses. */
export const vocabulary = createVocabulary('http://semcom.digita.ai/voc#');
export const baseUrl = 'https://node.example';
export const naming = { baseUrl, vocabulary };
export const SEM = vocabulary.namespace;
