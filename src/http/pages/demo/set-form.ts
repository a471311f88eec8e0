import type { Config } from '../../../config.js';
import type { ShownSet } from '../../../demo/shown-set.js';
import type { Audit } from '../../../lib/audit.js';
import { Problem } from '../../../lib/http/problem.js';
import { readFormFields } from '../../../lib/http/request/request-body.js';
import type { Answer, Handler } from '../../../lib/http/resource.js';
import { rootPath } from '../../../web/view.js';
import { requireOperator, writerOf } from '../../access/operator.js';
import { refuseOtherSitesForms } from '../../access/own-origin.js';

/** Largest body of the form, in bytes: it has one word. */
const FORM_LIMIT = 1000;

export interface SetFormParts {
  readonly set: Pick<ShownSet<never>, 'show' | 'remove' | 'isChanged'>;
  /** The field of the form, which holds `show`, `remove`, or `ask`: to remove it unless something in it was changed. */
  readonly field: string;
  /** What the set is called where it is written down who did what. */
  readonly words: string;
  /** The page to go on with when the set is shown. */
  readonly path: string;
  readonly audit: Audit;
  readonly config: Pick<Config, 'write' | 'operatorToken' | 'baseUrl'>;
}

/** Shows or removes components that come with the software: for those who may write components. */
export function postSet({ set, field, words, path, audit, config }: SetFormParts): Handler {
  return async (c) => {
    const { req } = c;
    if (config.write === 'open') refuseOtherSitesForms(req.raw, config);
    else requireOperator(req.raw, config.operatorToken);
    const wanted = (await readFormFields(req.raw, FORM_LIMIT)).get(field);
    const root = rootPath(config.baseUrl);
    if (wanted === 'ask' && (await set.isChanged())) return seeOther(`${root}${path}?remove=ask`);
    if (wanted === 'show') await set.show();
    else if (wanted === 'remove' || wanted === 'ask') await set.remove();
    else throw new Problem(422, `The form field ${field} must be show, remove or ask`);
    const what = wanted === 'show' ? `had ${words} shown` : `removed ${words}`;
    await audit.record({ who: writerOf(c, config), what });
    return seeOther(root + (wanted === 'show' ? path : '/'));
  };
}

function seeOther(location: string): Answer {
  return { status: 303, headers: { location, 'cache-control': 'no-store' } };
}
