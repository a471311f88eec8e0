import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import type { PackageFiles } from './package-files.js';

/** Largest file that is read, in bytes: bundles with all they need are large. */
const MAX_FILE = 10_000_000;
const TIMEOUT_MS = 30_000;

/** The files beside a package.json on the web; `fetch` decides which addresses may be read. */
export function filesAtUrl(packageJson: string, fetch: GuardedFetch): PackageFiles {
  const url = new URL('.', packageJson).href;
  return {
    ...{ place: url, url },
    async read(path) {
      const file = new URL(path, url).href;
      if (!file.startsWith(url)) return undefined;
      const limits = { maxBytes: MAX_FILE, timeoutMs: TIMEOUT_MS };
      const answer = await fetch(file, { trust: 'configured', turn: 'none', ...limits });
      if (answer.status === 404 || answer.status === 410) {
        await answer.discard();
        return undefined;
      }
      if (answer.status !== 200) {
        await answer.discard();
        throw new Error(`${file} answers ${answer.status}`);
      }
      return answer.text();
    },
  };
}
