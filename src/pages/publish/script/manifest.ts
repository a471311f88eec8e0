import { attempt, byId, say } from '../../browser/element.js';
import { askOwnNode, type Description } from './own-node.js';

/** Bytes of all manifests together. */
const MAX_BYTES = 900_000;

/** Lets the visitor choose, drop or paste manifests; `described` gets what the node makes of them. */
export function readManifests(described: (component: Description) => void): void {
  const [drop, files] = [byId('drop'), byId<HTMLInputElement>('files')];
  const pasted = byId<HTMLTextAreaElement>('pasted');
  /** Manifests that have been given one after the other belong together. */
  const given: Record<string, string> = {};
  const take = (more: Promise<Record<string, string>>) =>
    attempt('manifest', async () => {
      Object.assign(given, await more);
      say('manifest', 'Reading …');
      const answer = await askOwnNode<Described>('/publish/describe', { files: given });
      described(answer.component);
      say('manifest', ['Filled in below.', ...answer.notes].join(' '));
    });
  files.addEventListener('change', () => take(textsOf(files.files)));
  pasted.addEventListener('change', () => take(Promise.resolve({ [nameOf(pasted.value)]: pasted.value })));
  drop.addEventListener('dragover', (event) => event.preventDefault());
  drop.addEventListener('drop', (event) => {
    event.preventDefault();
    void take(textsOf(event.dataTransfer?.files ?? null));
  });
}

interface Described {
  readonly component: Description;
  readonly notes: readonly string[];
}

async function textsOf(files: FileList | null): Promise<Record<string, string>> {
  const chosen = [...(files ?? [])];
  if (chosen.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
    throw new Error(`these are more than ${MAX_BYTES} bytes: choose the manifests alone`);
  return Object.fromEntries(await Promise.all(chosen.map(async (file) => [file.name, await file.text()])));
}

/** Which manifest a text is, by what only that one has. */
function nameOf(text: string): string {
  if (/"modules"\s*:/.test(text)) return 'custom-elements.json';
  return /"(shapes|element)"\s*:/.test(text) ? 'component.json' : 'package.json';
}
