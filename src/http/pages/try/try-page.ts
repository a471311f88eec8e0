import { Problem } from '../../../lib/http/problem.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Answer, Handler, RouteContext } from '../../../lib/http/resource.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { Description } from '../../../registry/description.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { noComponentPage } from '../component/component-view.js';
import { questionPage } from '../question-page.js';
import { readWebAddress } from '../web-address.js';
import { frameDocument, frameHeaders, type Trial, tryPage } from './try-view.js';

export interface TrialParts extends PageParts {
  readonly known: Pick<Catalog, 'statements'>;
}

const QUESTION = {
  path: '/try',
  title: 'Try a component',
  explanation: 'In a sandbox, with data of yours that everybody may read.',
  button: 'Try',
  fields: [
    { name: 'uri', label: 'URL of its module' },
    { name: 'entry', label: 'URL of your data' },
  ],
};

/** `GET /try?uri=&entry=`: a page with a component in a sandbox; `entry` is the URL of the visitor's data. */
export function getTrial(parts: TrialParts): Handler {
  return async (c) => {
    const { uri, entry } = readTrial(c);
    const node = parts.node();
    if (uri === '') return pageAnswer(questionPage(node, QUESTION));
    const described = await served(parts, uri);
    if (!described) return pageAnswer(noComponentPage(node, uri), { status: 404 });
    return pageAnswer(tryPage(node, { served: described, entry }));
  };
}

/**
 * `GET /try/frame?uri=&entry=`: the document in the sandbox. It is sent only for components that this node serves, and
 * only into a frame: in a tab of its own, the component could navigate to any address and send there what it has
 * read. Browsers say what a document is for in `Sec-Fetch-Dest`, but only to https and loopback addresses; without
 * this header, the script of the frame checks that it runs in one.
 */
export function getTrialFrame(parts: TrialParts): Handler {
  return getFrame(parts, "'self'");
}

/** `GET /embed?uri=&entry=`: the same document for the pages of others, who may not add scripts. It runs in the same sandbox. */
export function getEmbeddedFrame(parts: TrialParts): Handler {
  return getFrame(parts, '*');
}

function getFrame(parts: TrialParts, ancestors: string): Handler {
  return async (c): Promise<Answer> => {
    if ((c.req.header('sec-fetch-dest') ?? 'iframe') !== 'iframe')
      throw new Problem(403, 'This document is for a frame in a page', { headers: VARY });
    const { uri, entry } = readTrial(c);
    const described = await served(parts, uri);
    if (!described || entry === '')
      throw new Problem(404, 'There is no such component here, or no data was named');
    const trial: Trial = { served: described, entry };
    const headers = { ...frameHeaders(trial, ancestors), ...VARY, 'cache-control': 'no-cache' };
    return { status: 200, headers, body: frameDocument(parts.node(), trial) };
  };
}

async function served({ known }: TrialParts, uri: string): Promise<Description | undefined> {
  const [first] = await known.statements(uri);
  return first;
}

const VARY = { vary: 'Sec-Fetch-Dest' };

/** @throws Problem 422 when `entry` is no http or https URL */
function readTrial(c: RouteContext): { uri: string; entry: string } {
  const parameters = parametersOf(c.req.url);
  return { uri: parameters.get('uri') ?? '', entry: readWebAddress(parameters, 'entry') };
}
