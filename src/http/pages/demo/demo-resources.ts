import type { Config } from '../../../config.js';
import { DEMO_PATH } from '../../../demo/samples.js';
import { ANY_ORIGIN } from '../../../lib/http/headers/cors.js';
import { isWritable } from '../../access/operator.js';
import { corsFor } from '../../access/own-origin.js';
import type { OwnResource } from '../../own-resource.js';
import { type DemoPageParts, getDemoPage, postDemo } from './demo-page.js';
import { getSampleData, getSampleFile, putSampleData, type SampleFilesParts } from './sample-files.js';

export interface DemoParts extends DemoPageParts, SampleFilesParts {
  readonly config: Pick<Config, 'write' | 'mode' | 'operatorToken' | 'baseUrl'>;
}

/** The samples: a page that shows them, their modules and descriptions, and data that may be changed. */
export function demoResources(parts: DemoParts): OwnResource[] {
  const writable = isWritable(parts.config);
  return [
    {
      path: DEMO_PATH,
      methods: {
        GET: getDemoPage(parts),
        POST: writable ? postDemo(parts) : undefined,
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
