import { DEFAULT_FILE } from '../config/defaults.js';
import { COMPONENT_JSON } from '../describe/component-json-name.js';
import { COMMON_FLAGS } from '../lib/command-line.js';
import { completionScript, SHELLS } from './completion-script.js';
import {
  CONFIG_FLAG,
  DEFAULT_LIMIT,
  DEFAULT_NODE,
  PACKAGE_FLAGS,
  QUERY_FORMATS,
  VOCABULARY_FLAG,
  WITHOUT_CONNECTIONS,
} from './flags.js';
import type { RunnableVerb, RunVerb } from './runnable-verb.js';

/** The name under which the program is installed. */
export const PROGRAM = 'component-registry-node';
/** The verb when none is named. */
export const DEFAULT_VERB = 'serve';

/** All that the program can be asked. Help and completion are made of it. */
export const VERBS: Readonly<Record<string, RunnableVerb>> = {
  serve: {
    meaning: 'run the node (also when no command is given)',
    flags: {
      ...CONFIG_FLAG,
      demo: { meaning: 'show samples: components, with data that can be changed, kept apart' },
      starter: { meaning: 'list real components to begin with, and serve their modules, kept apart' },
    },
    load: () => import('./serve-verb.js'),
  },
  check: {
    meaning: 'say whether a configuration can be used, and whether its database can be reached',
    flags: CONFIG_FLAG,
    load: () => import('./check-verb.js'),
  },
  init: {
    meaning: 'write a configuration in which every key is explained',
    flags: {},
    argument: 'file',
    optional: true,
    load: () => import('./init-verb.js'),
  },
  query: {
    meaning: 'ask a node for components; words are searched for in labels, descriptions, tags and authors',
    flags: {
      shapes: { value: 'iri', meaning: 'a shape that they render, as an IRI or foaf:Person' },
      tag: { value: 'tag', meaning: 'a tag that they have' },
      author: { value: 'author', meaning: 'an author of theirs' },
      range: { value: 'semver', meaning: 'their version: one, or a range like ^1.0.0' },
      latest: { meaning: 'those that are the latest version' },
      node: { value: 'url', meaning: `the node that is asked (${DEFAULT_NODE} when absent)` },
      limit: { value: 'number', meaning: `how many are shown (${DEFAULT_LIMIT} when absent)` },
      format: {
        value: Object.keys(QUERY_FORMATS).join('|'),
        meaning: 'how they are shown (text when absent)',
      },
    },
    argument: 'words',
    optional: true,
    load: () => import('./query-verb.js'),
  },
  lint: {
    meaning: 'check a metadata document, and the modules it names, before it is published',
    flags: {
      base: { value: 'url', meaning: 'where a file will be published: relative uris lead from there' },
      ...VOCABULARY_FLAG,
      watch: { meaning: 'check the file again whenever it changes, until Ctrl-C' },
    },
    argument: 'url or file',
    load: () => import('./lint-verb.js'),
  },
  describe: {
    meaning: 'write the description of a custom element from its npm package',
    flags: {
      ...PACKAGE_FLAGS,
      node: { value: 'url', meaning: `the node whose shapes are offered (${DEFAULT_NODE} when absent)` },
      out: { value: 'file', meaning: 'the file to write (standard output when absent)' },
    },
    argument: 'folder, or URL of a package.json',
    load: () => import('./describe-verb.js'),
  },
  publish: {
    meaning: 'publish what a package says of its custom elements, update it, or withdraw it',
    flags: {
      to: {
        value: 'url|folder',
        meaning: 'the document, or container, in a pod; or a folder for a static host',
      },
      apply: { meaning: 'write it: without this, only what would change is said (exit code 3)' },
      node: {
        value: 'url',
        several: true,
        meaning: 'a node that is told, and waited for until it lists it; may be repeated',
      },
      ...PACKAGE_FLAGS,
      at: { value: 'url', meaning: 'where the folder of --to is on the web, once it is there' },
      public: { meaning: 'let everybody read the document, when its pod does not' },
      withdraw: { meaning: 'take the components of the package out again' },
      issuer: { value: 'url', meaning: "where the pod's owner signs in (the pod's server when absent)" },
      wait: {
        value: 'seconds',
        meaning: 'how long nodes are waited for (120 when absent; exit code 4 after that)',
      },
      json: { meaning: 'print the result as JSON' },
    },
    argument: 'folder, or URL of a package.json',
    optional: true,
    load: () => import('./publish-verb.js'),
  },
  token: {
    meaning: 'print a token for a holder of the connection service',
    flags: {
      holder: {
        value: 'uri',
        meaning: 'whom the token speaks for: an absolute URI, such as a WebID',
      },
      expires: { value: 'time', meaning: 'how long it lasts: 90s, 15m, 12h, 30d (30d when absent)' },
      ...CONFIG_FLAG,
    },
    load: () => import('./token-verb.js'),
  },
  export: {
    meaning: 'write everything that a stopped node holds to a file (compressed when its name ends with .gz)',
    flags: { ...WITHOUT_CONNECTIONS, ...CONFIG_FLAG },
    argument: 'file',
    load: () => import('./export-verb.js'),
  },
  import: {
    meaning: 'read a file that export has written into the store of a stopped node, or go on with that',
    flags: {
      check: { meaning: 'only say whether the file is whole' },
      replace: { meaning: 'remove what is there first' },
      ...WITHOUT_CONNECTIONS,
      ...CONFIG_FLAG,
    },
    argument: 'file',
    load: () => import('./import-verb.js'),
  },
  rehearse: {
    meaning: 'say what trusting a pod or a node would add, change, hide and refuse; changes nothing',
    flags: { json: { meaning: 'print the result as JSON' }, ...CONFIG_FLAG },
    argument: 'url',
    load: () => import('./rehearse-verb.js'),
  },
  repair: {
    meaning: 'look for damage in the data directory of a stopped node, and say what can be saved',
    flags: { apply: { meaning: 'repair it; the damaged files are kept beside' }, ...CONFIG_FLAG },
    load: () => import('./repair-verb.js'),
  },
  unpin: {
    meaning:
      'have a stopped node forget which bytes it has seen of a module, so that others are the first ones',
    flags: { only: { value: 'version', meaning: 'of this version alone' }, ...CONFIG_FLAG },
    argument: 'uri',
    load: () => import('./unpin-verb.js'),
  },
  schema: {
    meaning: 'print the JSON Schema of the configuration, or of component.json',
    flags: {},
    argument: 'file',
    optional: true,
    choices: [DEFAULT_FILE, COMPONENT_JSON],
    load: () => import('./schema-verb.js'),
  },
  completion: {
    meaning: 'print a script that has a shell complete the commands',
    flags: {},
    argument: 'shell',
    choices: SHELLS,
    load: async () => ({ run: completion }),
  },
};

const completion: RunVerb = async (_flags, shell = '', { say }) => {
  const described = { program: PROGRAM, verbs: VERBS, common: COMMON_FLAGS, fallback: DEFAULT_VERB };
  say(completionScript(shell, described));
  return 0;
};
