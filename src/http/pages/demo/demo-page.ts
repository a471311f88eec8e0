import type { Config } from '../../../config.js';
import type { Samples } from '../../../demo/samples.js';
import type { Handler } from '../../../lib/http/resource.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { demoPage } from './demo-view.js';

export interface DemoPageParts extends PageParts {
  readonly samples: Samples;
  readonly config: Pick<Config, 'write'>;
}

/** `GET /demo`: the samples at work, or how to have them shown. */
export function getDemoPage(parts: DemoPageParts): Handler {
  const { write } = parts.config;
  return () => pageAnswer(demoPage({ node: parts.node(), write, samples: parts.samples.shown?.all }));
}
