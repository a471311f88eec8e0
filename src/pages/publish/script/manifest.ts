import { attempt, byId, say } from '../../browser/element.js';
import type { Description } from './description.js';
import { describeManifest } from './draft.js';

/** Bytes of all manifests together. */
const MAX_BYTES = 900_000;

/** Lets the visitor choose, drop or paste manifests; `described` gets what they say. */
export function readManifests(described: (component: Description) => void): void {
  const [drop, files] = [byId('drop'), byId<HTMLInputElement>('files')];
  const pasted = byId<HTMLTextAreaElement>('pasted');
  /** Manifests that have been given one after the other belong together. */
  const given: Record<string, string> = {};
  const take = (more: Readonly<Record<string, string>>) =>
    attempt('manifest', async () => {
      Object.assign(given, more);
      say('manifest', 'Reading …');
      const { component, notes } = await describeManifest(given);
      described(component);
      say('manifest', ['Filled in below.', ...notes].join(' '));
    });
  files.addEventListener('change', async () => take(await textsOf(files.files)));
  pasted.addEventListener('change', () => take({ [nameOf(pasted.value)]: pasted.value }));
  drop.addEventListener('dragover', (event) => event.preventDefault());
  drop.addEventListener('drop', async (event) => {
    event.preventDefault();
    await take(await textsOf(event.dataTransfer?.files ?? null));
  });
}

async function textsOf(files: FileList | null): Promise<Record<string, string>> {
  const chosen = [...(files ?? [])];
  if (chosen.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) {
    say('manifest', `These are more than ${MAX_BYTES} bytes; choose the manifests alone.`, true);
    return {};
  }
  return Object.fromEntries(await Promise.all(chosen.map(async (file) => [file.name, await file.text()])));
}

/** Which manifest a text is, by what only that one has. */
function nameOf(text: string): string {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null) return 'package.json';
    if ('modules' in said) return 'custom-elements.json';
    return 'shapes' in said || 'element' in said ? 'component.json' : 'package.json';
  } catch {
    return 'package.json';
  }
}
