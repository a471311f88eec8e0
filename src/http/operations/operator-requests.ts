import * as z from 'zod';
import type { PollReport } from '../../explain/poll-report.js';
import { rehearsalText } from '../../explain/rehearsal-text.js';
import { counted } from '../../lib/counted.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler, RouteContext } from '../../lib/http/resource.js';
import { forgetPins, type Pins } from '../../registry/pins.js';
import type { Audit, Deed } from '../access/audit.js';
import { requireOperator } from '../access/operator.js';
import { parametersIn } from '../parameters.js';
import type { Commands } from './commands.js';
import { httpUrl, readShortBody } from './short-body.js';

/** What only the operator may have done. */
export function forOperator(operatorToken: string | undefined, handler: Handler): Handler {
  return (c) => {
    requireOperator(c.req.raw, operatorToken);
    return handler(c);
  };
}

export const syncParameters = z.object({
  source: z.string().optional().meta({ format: 'uri', description: 'The URL of the one source to poll' }),
  accept: z
    .enum(['shrink'], 'must be shrink')
    .optional()
    .describe('With `source`: it is believed, although it says much less'),
});

/**
 * `POST /sync`: polls all sources or one now, and answers with the reports when that is done. `accept=shrink` accepts,
 * for one source, that it says much less than before.
 */
export function syncNow(sync: Commands['sync'], audit: Audit): Handler {
  return async ({ req }) => {
    const { source: sourceUrl, accept } = parametersIn(syncParameters, req.url);
    const acceptShrink = accept !== undefined;
    if (acceptShrink && sourceUrl === undefined) {
      const how = 'name it with "source"; GET /status lists them';
      throw new Problem(400, `"accept=shrink" is for one source: ${how}`);
    }
    const reports = await sync(sourceUrl, { acceptShrink });
    if (sourceUrl !== undefined && reports.length === 0) {
      throw new Problem(404, `This node has no source ${JSON.stringify(sourceUrl)}; GET /status lists them`);
    }
    if (acceptShrink) audit(acceptance(reports));
    return jsonAnswer(reports.map(({ source: { url, kind }, ...figures }) => ({ url, kind, ...figures })));
  };
}

/** What came of it is part of it: there may have been nothing to accept, or the source did not answer. */
function acceptance(reports: readonly PollReport[]): Deed {
  const removed = reports.reduce((sum, report) => sum + report.removed, 0);
  const failed = reports.some(({ ok }) => !ok) ? '; it could not be read' : '';
  return {
    who: 'operator',
    what: `accepted that a source says less: ${counted(removed, 'component')} removed${failed}`,
    subjects: reports.map(({ source }) => source.url),
  };
}

const DEEDS = {
  approve: 'approved an address',
  reject: 'rejected an address',
  forget: 'took a decision back',
} as const;

export const decisionBody = z.strictObject({
  url: httpUrl,
  decision: z.enum(['approve', 'reject', 'forget']),
});

/** `POST /discovery`: whether an address that peers told of may be read. */
export function decideAddress(decide: Commands['decide'], audit: Audit): Handler {
  return async ({ req }) => {
    const wanted =
      '{"url": "<http(s) URL>", "decision": "approve"}; decisions are approve, reject and forget';
    const { url, decision } = await readShortBody(req, decisionBody, wanted);
    await decide(url, decision === 'forget' ? undefined : decision);
    audit({ who: 'operator', what: DEEDS[decision], subjects: [url] });
    return { status: 204 };
  };
}

export const pinParameters = z.object({
  uri: z.string('must name a module').max(2048).meta({ format: 'uri', description: 'Of the module' }),
  version: z.string().optional().describe('Of this version alone; of all when absent'),
});

/**
 * `DELETE /pins?uri=<uri>`: the node forgets what it has seen of a component's module, of all versions or of `version`. What is
 * there at the next look counts as the first bytes then.
 */
export function deletePins(pins: Pins, audit: Audit): Handler {
  return async ({ req }) => {
    const { uri, version } = parametersIn(pinParameters, req.url);
    const forgotten = await forgetPins(pins, uri, version);
    if (forgotten === 0) throw new Problem(404, `Nothing has been seen of the module ${JSON.stringify(uri)}`);
    audit({ who: 'operator', what: `forgot ${counted(forgotten, 'pin')}`, subjects: [uri] });
    return { status: 204 };
  };
}

const TEXT = 'text/plain';

export const rehearsalBody = z.strictObject({
  url: httpUrl.describe('Of a pod (a container or a document) or of a node'),
});

/**
 * `POST /rehearse`: what trusting a pod or a peer would add, change, hide and refuse, and whom it would introduce. One at a time:
 * each is a whole poll, in memory.
 */
export function rehearseNow(rehearse: Commands['rehearse']): Handler {
  let isUnderWay = false;
  return async ({ req }: RouteContext) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', TEXT]);
    const { url } = await readShortBody(req, rehearsalBody, '{"url": "<http(s) URL of a pod or a node>"}');
    if (isUnderWay) throw new Problem(409, 'Another rehearsal is under way; try again when it has ended');
    isUnderWay = true;
    try {
      const rehearsal = await rehearse(url, req.raw.signal);
      if (type !== TEXT) return jsonAnswer(rehearsal);
      const headers = { 'content-type': `${TEXT}; charset=utf-8`, 'cache-control': 'no-store' };
      return { status: 200, headers, body: `${rehearsalText(rehearsal)}\n` };
    } finally {
      isUnderWay = false;
    }
  };
}
