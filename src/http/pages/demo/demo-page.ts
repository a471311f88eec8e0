import type { Config } from '../../../config.js';
import { DEMO_PATH, type Samples } from '../../../demo/samples.js';
import type { Audit } from '../../../lib/audit.js';
import { Problem } from '../../../lib/http/problem.js';
import { readTextBody } from '../../../lib/http/request/request-body.js';
import type { Handler } from '../../../lib/http/resource.js';
import { rootPath } from '../../../web/view.js';
import { requireOperator, writerOf } from '../../access/operator.js';
import { refuseOtherSitesForms } from '../../access/own-origin.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { demoPage } from './demo-view.js';

export interface DemoPageParts extends PageParts {
  readonly samples: Samples;
  readonly audit: Audit;
  readonly config: Pick<Config, 'write' | 'operatorToken' | 'baseUrl'>;
}

/** Largest body of the form, in bytes: it has one word. */
const FORM_LIMIT = 1000;

/** `GET /demo`: the samples at work, or how to have them shown. */
export function getDemoPage(parts: DemoPageParts): Handler {
  const { write } = parts.config;
  return () => pageAnswer(demoPage({ node: parts.node(), write, samples: parts.samples.shown?.all }));
}

/** `POST /demo` with `samples=show` or `samples=remove`: for those who may write components. */
export function postDemo({ samples, config, audit }: DemoPageParts): Handler {
  return async (c) => {
    const { req } = c;
    if (config.write === 'open') refuseOtherSitesForms(req.raw, config);
    else requireOperator(req.raw, config.operatorToken);
    const accepted = ['application/x-www-form-urlencoded'];
    const { text } = await readTextBody(req.raw, { accepted, limit: FORM_LIMIT });
    const wanted = new URLSearchParams(text).get('samples');
    if (wanted === 'show') await samples.show();
    else if (wanted === 'remove') await samples.remove();
    else throw new Problem(422, 'The form field samples must be show or remove');
    const what = wanted === 'show' ? 'had the samples shown' : 'removed the samples';
    await audit.record({ who: writerOf(c, config), what });
    const path = wanted === 'show' ? DEMO_PATH : '/';
    return {
      status: 303,
      headers: { location: rootPath(config.baseUrl) + path, 'cache-control': 'no-store' },
    };
  };
}
