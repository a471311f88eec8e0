import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { sameUrl } from '../../config/url.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { networkOf } from '../../lib/fetch/address.js';
import type { Handler } from '../../lib/http/resource.js';
import { documentPath } from '../paths.js';
import { httpUrl, readShortBody } from './short-body.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Hints of one address in an hour (design, section 12). */
const PER_CLIENT = 60;
/** Topics and addresses that are remembered; beyond, those are forgotten that were heard of least lately. */
const REMEMBERED = 10_000;

export const hintBody = z.strictObject({ topic: httpUrl });

interface HintParts {
  /** Polls soon what a topic belongs to, if it is read at all. */
  readonly hint: (topic: string) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly baseUrl: string;
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * `POST /hint`: an author, or their software, says that a pod or a document has changed. The answer is the same
 * whatever comes of it: it tells nobody what this node reads.
 */
export function takeHint({ hint, clock, baseUrl }: HintParts): Handler {
  const allowsTopic = atMost(1, MINUTE);
  const allowsClient = atMost(PER_CLIENT, HOUR);
  return async ({ req, client = '' }) => {
    const wanted = 'topic: <http(s) URL of a pod, a document or a node>, as JSON or as a form';
    const isForm = req.header('content-type')?.startsWith(FORM) ?? false;
    const topic = sameUrl((await readShortBody(req, hintBody, wanted, isForm)).topic);
    const now = clock.now();
    if (allowsClient(networkOf(client) ?? client, now) && allowsTopic(topic, now)) hint(topic);
    // Who has pressed the button of a page is shown what this node knows of it.
    const headers = { 'cache-control': 'no-store' };
    if (!isForm) return { status: 202, headers };
    return { status: 303, headers: { ...headers, location: `${documentPath(baseUrl, topic)}&asked=1` } };
  };
}

/** Allows something under each key `most` times in a period, which begins with the first time; in ms. */
function atMost(most: number, period: number): (key: string, now: number) => boolean {
  const counts = new LRUCache<string, { since: number; count: number }>({ max: REMEMBERED });
  return (key, now) => {
    const known = counts.get(key);
    const current = known && elapsed(known.since, now) < period ? known : { since: now, count: 0 };
    if (current.count >= most) return false;
    current.count += 1;
    counts.set(key, current);
    return true;
  };
}
