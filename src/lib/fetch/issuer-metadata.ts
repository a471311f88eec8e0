import * as z from 'zod';
import { jsonValue } from '../json.js';
import { withoutTrailingSlashes } from '../trailing-slashes.js';
import type { GuardedFetch, Trust } from './guarded-fetch.js';
import type { FetchBounds } from './web-fetch.js';

const webUrl = z.url({ protocol: /^https?$/ });
/** What an OIDC issuer publishes about itself (OpenID Connect Discovery 1.0, section 3). */
const metadata = z.object({
  /** As the issuer writes itself, which its tokens repeat to the letter. */
  issuer: z.string(),
  jwks_uri: webUrl.optional(),
  token_endpoint: webUrl.optional(),
});

/**
 * Reads the metadata of an issuer (section 4), whose name may differ from the configured URL by a slash at the end.
 * @throws Error in words for the operator, which never quote the issuer; FetchFailure when it cannot be reached
 */
export async function readIssuerMetadata(
  url: string,
  fetch: GuardedFetch,
  bounds: FetchBounds,
): Promise<Readonly<z.output<typeof metadata>>> {
  const base = withoutTrailingSlashes(url);
  const address = `${base}/.well-known/openid-configuration`;
  const answer = await fetch(address, {
    ...bounds,
    headers: { accept: 'application/json' },
    isCounted: false,
  });
  const found = metadata.safeParse(jsonValue(await answer.text()));
  if (answer.status !== 200 || !found.success) {
    throw new Error(`${address} answered ${answer.status} and describes no issuer: is it the issuer?`);
  }
  if (withoutTrailingSlashes(found.data.issuer) !== base) {
    throw new Error(`${address} is the configuration of another issuer: configure the one it names`);
  }
  return found.data;
}

/** Trust is put in the issuer; a URL that it names beyond its own origin is learned. */
export function trustIn(named: string, { issuer, trust }: { issuer: string; trust: Trust }): Trust {
  return new URL(named).origin === new URL(issuer).origin ? trust : 'learned';
}
