import { createHash } from 'node:crypto';
import { taggedAnswer } from '../../lib/http/cacheable.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { CleanPicture } from '../../lib/picture/clean-picture.js';
import type { Catalog } from '../../registry/catalog.js';

export interface ImageParts {
  readonly catalog: Pick<Catalog, 'statements'>;
  readonly pictures: { read(url: string): Promise<CleanPicture | undefined> };
}

/** Opened as a page of its own, a picture can do nothing either; and browsers take it for nothing but what it says it is. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
};

/** `GET /image?uri=`: this node's copy of the picture that the served description of a component names. */
export function getImage({ catalog, pictures }: ImageParts): Handler {
  return async (c) => {
    const [served] = await catalog.statements(parametersOf(c.req.url).get('uri') ?? '');
    const url = served?.metadata.image;
    const picture = url === undefined ? undefined : await pictures.read(url);
    if (!picture) throw new Problem(404, 'This node has no picture of such a component');
    const { bytes, type } = picture;
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return taggedAnswer(c, { etag, type, text: bytes, more: HEADERS });
  };
}
