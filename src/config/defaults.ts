/** What stands in the help of commands as well: this file is read when the program starts, and imports nothing. */

export const DEFAULT_FILE = 'node.config.json';

/** The vocabulary that existing pods use. */
export const DEFAULT_VOCABULARY = 'http://semcom.digita.ai/voc#';
