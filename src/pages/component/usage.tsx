import type { Child } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import { type SourceTrust, STARTER } from '../../component/source.js';
import { Section } from '../shell/fragments.js';
import { hostOf } from '../shell/page.js';
import type { ComponentView } from './component-view.js';

/** What stands for the visitor's data where it is not known. */
const YOUR_DATA = 'https://pod.example/your/data';

/** How to use a component: the line that shows data with it where it stands in a page. */
export function Usage({ statements: [served], node: { baseUrl }, entry }: ComponentView) {
  const { metadata, pin, trust } = served;
  const integrity = metadata.integrity ?? pin?.integrity;
  const line = (
    <script
      type="module"
      src={`${baseUrl}/embed.js`}
      data-entry={entry || YOUR_DATA}
      data-component={metadata.uri}
      data-integrity={integrity ?? (trust === 'learned' ? '…' : undefined)}
    />
  );
  const title = 'In one line:';
  return (
    <Section id="use" title="Use it">
      <p>This component is {answering(served, baseUrl)}.</p>
      <div class="code" data-integrity-of={integrity === undefined ? metadata.uri : undefined}>
        <p>{title}</p>
        {/* biome-ignore lint/a11y/useSemanticElements: it is code, and scrolls: the keyboard reaches and names it. */}
        <pre tabindex={0} role="region" aria-label={title}>
          <code>{String(line)}</code>
        </pre>
      </div>
      <p class="hint">A component runs with all rights of your page. {whatRuns(integrity, trust)}</p>
    </Section>
  );
}

/** What may run in the place of the component. */
function whatRuns(integrity: string | undefined, trust: SourceTrust): Child {
  if (integrity !== undefined) return 'Nothing but the pinned bytes is run.';
  if (trust === 'learned')
    return 'Nobody here answers for this one: the line runs nothing until the digest of the bytes that you have looked at stands in place of the dots.';
  return 'When its bytes are pinned, nothing else runs in its place.';
}

/** Who answers for a component, to be read behind "This component is". */
function answering({ source, trust }: Description, baseUrl: string): string {
  const node = hostOf(baseUrl);
  if (source.kind === 'sample')
    return `${source.url === STARTER.url ? 'part of the starter set' : 'a sample'} that comes with this software`;
  if (trust === 'own') return `posted to ${node}, whose operator answers for it`;
  const who =
    trust === 'configured'
      ? `which the operator of ${node} has named`
      : `for which nobody at ${node} answers`;
  return `described by ${source.url}, ${who}`;
}
