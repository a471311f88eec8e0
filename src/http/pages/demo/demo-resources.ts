import type { Config } from '../../../config.js';
import { DEMO_PATH } from '../../../demo/samples.js';
import { ANY_ORIGIN } from '../../../lib/http/headers/cors.js';
import { isWritable } from '../../access/operator.js';
import { corsFor } from '../../access/own-origin.js';
import type { OwnResource } from '../../own-resource.js';
import { type DemoPageParts, getDemoPage } from './demo-page.js';
import { getSampleData, getSampleFile, putSampleData, type SampleFilesParts } from './sample-files.js';
import { postSet, type SetFormParts } from './set-form.js';

export interface DemoParts extends DemoPageParts, SampleFilesParts, Pick<SetFormParts, 'audit'> {
  readonly config: Pick<Config, 'write' | 'mode' | 'operatorToken' | 'baseUrl'>;
}

/** The samples: a page that shows them, their modules and descriptions, and data that may be changed. */
export function demoResources(parts: DemoParts): OwnResource[] {
  const writable = isWritable(parts.config);
  const form = { set: parts.samples, field: 'samples', words: 'the samples', path: DEMO_PATH };
  return [
    {
      path: DEMO_PATH,
      methods: {
        GET: getDemoPage(parts),
        POST: writable ? postSet({ ...parts, ...form }) : undefined,
      },
    },
    {
      path: `${DEMO_PATH}/data/*`,
      cors: corsFor(parts.config, 'PUT'),
      methods: {
        GET: getSampleData(parts),
        PUT: writable ? putSampleData(parts) : undefined,
      },
    },
    // The sandboxed frame of /try has an opaque origin, so it needs CORS even for the node's own files.
    { path: `${DEMO_PATH}/*`, cors: ANY_ORIGIN, methods: { GET: getSampleFile(parts) } },
  ];
}
