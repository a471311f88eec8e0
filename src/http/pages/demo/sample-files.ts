import { triplesOf } from '../../../component/reading/document-tasks.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import type { Config } from '../../../config.js';
import { EXAMPLES_PATH, type Examples } from '../../../demo/examples.js';
import { DEMO_PATH, type Samples, type ShownSamples } from '../../../demo/samples.js';
import { taggedAnswer } from '../../../lib/http/cacheable.js';
import { Problem } from '../../../lib/http/problem.js';
import { readTextBody } from '../../../lib/http/request/request-body.js';
import type { Handler, RouteContext } from '../../../lib/http/resource.js';
import { entityTagsIn } from '../../../lib/http/response/conditional.js';
import { textTag } from '../../../lib/http/response/text-tag.js';
import type { TaskPool } from '../../../lib/pool/task.js';
import { requireWriter } from '../../access/operator.js';

export interface SampleFilesParts {
  readonly samples: Samples;
  readonly config: Pick<Config, 'write' | 'operatorToken' | 'baseUrl'>;
  readonly vocabulary: Vocabulary;
  /** Where written data is parsed. */
  readonly pool: TaskPool;
}

const DATA_PATH = `${DEMO_PATH}/data/`;
/** Largest document of data, in bytes, and number of its triples. */
const BOUNDS = { bytes: 65_536, triples: 1000 };
const TURTLE = 'text/turtle';

/** `GET /demo/<name>`: the module of a sample, or the document that describes it. */
export function getSampleFile({ samples }: SampleFilesParts): Handler {
  return (c) => {
    const file = shownIn(samples).file(nameIn(c, `${DEMO_PATH}/`));
    if (!file) throw nothingThere();
    const { text, mediaType } = file;
    return taggedAnswer(c, { etag: textTag(text), type: `${mediaType}; charset=utf-8`, text });
  };
}

/** `GET /demo/examples/<name>`: data that components are shown with. */
export function getExample(examples: () => Promise<Examples>): Handler {
  return async (c) => {
    const text = (await examples()).documents.get(nameIn(c, `${EXAMPLES_PATH}/`));
    if (text === undefined) throw new Problem(404, 'There is no such example');
    return taggedAnswer(c, { etag: textTag(text), type: TURTLE, text });
  };
}

/** `GET /demo/data/<name>`: a document of data. */
export function getSampleData({ samples }: SampleFilesParts): Handler {
  return async (c) => {
    const document = await shownIn(samples).data.read(nameIn(c, DATA_PATH));
    if (!document) throw nothingThere();
    return taggedAnswer(c, { ...document, type: TURTLE });
  };
}

/**
 * `PUT /demo/data/<name>`: replaces a document of data by another in Turtle. Who may write components may write this.
 * Only documents that are there can be replaced, and never by anything that a browser would run.
 */
export function putSampleData({ samples, config, vocabulary, pool }: SampleFilesParts): Handler {
  return async (c) => {
    requireWriter(c.req.raw, config);
    const { data } = shownIn(samples);
    const name = nameIn(c, DATA_PATH);
    if (!(await data.read(name))) throw nothingThere();
    const { text } = await readTextBody(c.req.raw, { accepted: [TURTLE], limit: BOUNDS.bytes });
    const { namespace } = vocabulary;
    const document = { text, mediaType: TURTLE, baseIri: config.baseUrl + DATA_PATH + name, namespace };
    await triplesOf(document, BOUNDS.triples, { pool, lane: 'post', signal: c.req.raw.signal });
    const written = await data.write(name, text, ({ etag }) => holds(c, etag));
    if (!written) throw new Problem(412, 'The document has been changed since it was read; read it again');
    return { status: 204, headers: { etag: written.etag, 'cache-control': 'no-store' } };
  };
}

/** Do the conditions of a write hold for a document that is there (RFC 9110, section 13.1)? Tags are compared strongly. */
function holds({ req }: RouteContext, etag: string): boolean {
  const [match, noneMatch] = [req.header('if-match'), req.header('if-none-match')];
  const names = (list: string) => list.trim() === '*' || entityTagsIn(list).includes(etag);
  return (match === undefined || names(match)) && (noneMatch === undefined || !names(noneMatch));
}

/** @throws Problem 404 while no samples are shown */
function shownIn(samples: Samples): ShownSamples {
  const { shown } = samples;
  if (!shown) throw new Problem(404, `This node shows no samples; ${DEMO_PATH} says how it can`);
  return shown;
}

function nameIn({ req }: RouteContext, before: string): string {
  return req.path.slice(before.length);
}

function nothingThere(): Problem {
  return new Problem(404, `There is no such sample; ${DEMO_PATH} lists them`);
}
